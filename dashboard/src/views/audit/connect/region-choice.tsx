import { ActionButton } from '../../../parts/action-button.tsx';
import { TextInput } from '../../../parts/text-input.tsx';
import { ALL_REGIONS, REGIONS } from './regions.ts';
import type { Draft } from './use-draft.ts';

interface RegionChoiceProps {
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** Buckets elsewhere are left out. */
export function RegionChoice({ draft, onChange }: RegionChoiceProps) {
  const chosen = new Set(draft.regions);
  const toggle = (region: string) => {
    const next = new Set(chosen);
    if (!next.delete(region)) next.add(region);
    onChange({ regions: ALL_REGIONS.filter((each) => next.has(each)) });
  };
  return (
    <>
      <fieldset className="regions">
        <legend>Regions whose buckets are scanned</legend>
        <div className="actions">
          <ActionButton onPress={() => onChange({ regions: ALL_REGIONS })}>
            All regions
          </ActionButton>
          <ActionButton onPress={() => onChange({ regions: [] })}>No region</ActionButton>
          <span className="quiet">
            {chosen.size} of {ALL_REGIONS.length} chosen
          </span>
        </div>
        {REGIONS.map(([part, names]) => (
          <div key={part} className="region-group" role="group" aria-label={part}>
            <span aria-hidden="true">{part}</span>
            {names.map((region) => (
              <label key={region}>
                <input
                  type="checkbox"
                  checked={chosen.has(region)}
                  onChange={() => toggle(region)}
                />
                {region}
              </label>
            ))}
          </div>
        ))}
      </fieldset>
      <TextInput
        label="Other regions"
        hint="Of China, GovCloud, or newer than this list; separated by commas. At most 40 in total."
        value={draft.otherRegions}
        onChange={(otherRegions) => onChange({ otherRegions })}
      />
    </>
  );
}
