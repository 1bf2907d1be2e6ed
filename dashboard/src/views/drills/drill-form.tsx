import {
  BYTES_PER_DECIMAL_GB,
  type DrillRequest,
  type DrillSchedule,
  type Place,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  placeOf,
  usePlaceTitle,
  useProviderQueries,
  useProviderTitle,
} from '../../data/providers.ts';
import { completedScans, useScanQueries } from '../../data/scans.ts';
import { connectionTitle } from '../../format/audit.ts';
import { ActionButton, ChangeButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { HOURS, USUAL_HOUR } from '../../parts/schedule.tsx';
import { TextInput } from '../../parts/text-input.tsx';

const SIZES = [
  {
    value: 'files',
    title: 'A number of files',
    label: 'Files, 1 to 10,000',
    usual: '1000',
    read: (files: number): DrillRequest['sample'] | undefined =>
      Number.isInteger(files) && files >= 1 && files <= 10_000 ? { files } : undefined,
  },
  {
    value: 'bytes',
    title: 'An amount of data',
    label: 'GB',
    usual: '1',
    read: (gb: number): DrillRequest['sample'] | undefined =>
      gb >= 1e-9 && gb <= 1e6 ? { bytes: Math.round(gb * BYTES_PER_DECIMAL_GB) } : undefined,
  },
] as const;

/** What may be sampled: the files at a place, or a bucket that an audit has read. */
interface Source {
  readonly id: string;
  readonly title: string;
  /** The audit that has read the buckets of a connection, one of which is chosen. */
  readonly scanId?: string;
  from(bucketName: string): DrillRequest['from'];
  /** Whether it is the place itself, which is no target. */
  isAt(place: Place, bucketName: string): boolean;
}

const NOW = 'now';
const TIMES = [
  { value: NOW, title: 'Now' },
  { value: 'month', title: 'Every month' },
  { value: 'quarter', title: 'Every quarter' },
] as const;

type Rule = Pick<DrillSchedule, 'every' | 'hourUtc'>;

/** What to try, and how often; without a rule, once and now. */
export interface ChosenDrill {
  readonly request: DrillRequest;
  readonly rule: Rule | undefined;
}

interface DrillFormProps {
  readonly onChosen: (chosen: ChosenDrill) => void;
  readonly onClose: () => void;
}

/** What to try: from where, to where, with how much, and when. */
export function DrillForm(props: DrillFormProps) {
  const providers = useQuery(useProviderQueries().providers);
  const audited = useAudited();
  const placeTitle = usePlaceTitle();
  return (
    <Card title="Try an exit">
      <Loaded query={providers} what="your stores">
        {({ items }) => {
          const targets = items.map((info) => placeOf(info.provider, info));
          const places = items.flatMap(({ provider, formerPlaces }) =>
            formerPlaces.map((former) => placeOf(provider, former)),
          );
          const sources: Source[] = [...targets, ...places].map((place) => ({
            id: JSON.stringify(place),
            title: `Your files at ${placeTitle(place)}`,
            from: () => place,
            isAt: (target) => target === place,
          }));
          return <Fields {...props} sources={[...sources, ...audited]} targets={targets} />;
        }}
      </Loaded>
    </Card>
  );
}

/** The connections that a completed audit has read. */
function useAudited(): readonly Source[] {
  const queries = useScanQueries();
  const { data: connections } = useQuery(queries.connections);
  const { data: scans } = useQuery(queries.scans);
  const providerTitle = useProviderTitle();
  return (connections?.items ?? []).flatMap((connection): Source[] => {
    const { connectionId } = connection;
    const [scan] = completedScans(scans?.items ?? [], connectionId);
    if (!scan) return [];
    return [
      {
        id: connectionId,
        title: `A bucket of ${connectionTitle(connection, providerTitle)}`,
        scanId: scan.scanId,
        from: (bucketName) => ({ connectionId, bucketName }),
        isAt: (place, bucketName) =>
          place.provider === (connection.provider ?? 'aws') && place.bucketName === bucketName,
      },
    ];
  });
}

interface FieldsProps extends DrillFormProps {
  readonly sources: readonly Source[];
  /** The current places. */
  readonly targets: readonly Place[];
}

function Fields({ sources, targets, onChosen, onClose }: FieldsProps) {
  const [chosen, setChosen] = useState('');
  const [bucketName, setBucketName] = useState('');
  const [wanted, setWanted] = useState('');
  const [size, setSize] = useState<(typeof SIZES)[number]>(SIZES[0]);
  const [rule, setRule] = useState<Rule | undefined>();
  const [amount, setAmount] = useState<string>(SIZES[0].usual);
  const placeTitle = usePlaceTitle();
  const source = sources.find(({ id }) => id === chosen) ?? sources[0];
  const others = targets.filter((place) => !source?.isAt(place, bucketName));
  const to = (others.find(({ provider }) => provider === wanted) ?? others[0])?.provider;
  const isOpen = source?.scanId !== undefined && bucketName === '';
  const sample = size.read(Number(amount));
  if (!source) return <p>Add a store first, or connect one for audits.</p>;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (to === undefined || !sample) return;
        onChosen({ request: { from: source.from(bucketName), to, sample }, rule });
      }}
    >
      <Choice
        label="From"
        value={source.id}
        options={sources.map(({ id, title }) => ({ value: id, title }))}
        onChange={(id) => {
          setChosen(id);
          setBucketName('');
        }}
      />
      {source.scanId === undefined ? null : (
        <BucketChoice scanId={source.scanId} value={bucketName} onChange={setBucketName} />
      )}
      {to === undefined ? (
        <p>Add another store first: a drill copies to the current place of a store.</p>
      ) : (
        <Choice
          label="To"
          value={to}
          options={others.map((place) => ({ value: place.provider, title: placeTitle(place) }))}
          onChange={setWanted}
        />
      )}
      <Choice
        label="Sample"
        value={size.value}
        options={SIZES}
        onChange={(value) => {
          const next = SIZES.find((each) => each.value === value) ?? size;
          setSize(next);
          setAmount(next.usual);
        }}
      />
      <TextInput label={size.label} value={amount} onChange={setAmount} isRequired />
      <TimeChoice rule={rule} onChange={setRule} />
      <div className="actions">
        <ChangeButton
          kind="primary"
          type="submit"
          isDisabled={!sample || isOpen || to === undefined}
        >
          Show the estimate
        </ChangeButton>
        <ActionButton onPress={onClose}>Cancel</ActionButton>
      </div>
    </form>
  );
}

interface TimeChoiceProps {
  readonly rule: Rule | undefined;
  readonly onChange: (rule: Rule | undefined) => void;
}

function TimeChoice({ rule, onChange }: TimeChoiceProps) {
  const hourUtc = rule?.hourUtc ?? Number(USUAL_HOUR);
  return (
    <>
      <Choice
        label="When"
        value={rule?.every ?? NOW}
        options={TIMES}
        onChange={(every) => onChange(every === NOW ? undefined : { every, hourUtc })}
      />
      {rule ? (
        <Choice
          label="At"
          value={String(hourUtc)}
          options={HOURS}
          onChange={(hour) => onChange({ ...rule, hourUtc: Number(hour) })}
        />
      ) : null}
    </>
  );
}

interface BucketChoiceProps {
  readonly scanId: string;
  readonly value: string;
  readonly onChange: (name: string) => void;
}

function BucketChoice({ scanId, value, onChange }: BucketChoiceProps) {
  const scan = useQuery(useScanQueries().scan(scanId));
  return (
    <Loaded query={scan} what="the buckets">
      {({ buckets }) => (
        <Choice
          label="Bucket"
          value={value}
          options={[
            { value: '', title: 'Choose one' },
            ...buckets.map(({ name }) => ({ value: name, title: name })),
          ]}
          onChange={onChange}
        />
      )}
    </Loaded>
  );
}
