import {
  formatBytes,
  formatNumber,
  type FormerPlace,
  type ProviderDescription,
} from '@storage-routing/client';
import { useState } from 'react';
import { ChangeButton } from '../../parts/action-button.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Time } from '../../parts/time.tsx';
import { ProviderForm } from './provider-form.tsx';

interface FormerPlacesProps {
  readonly store: ProviderDescription;
  /** At least one. */
  readonly places: readonly FormerPlace[];
}

/** Where earlier files are, and a form for the new keys of such a place. */
export function FormerPlaces({ store, places }: FormerPlacesProps) {
  const [chosen, setChosen] = useState<string | undefined>();
  const former = places.find((place) => keyOf(place) === chosen);
  const close = () => setChosen(undefined);
  return (
    <>
      <DataTable
        caption="Former places, which are still needed"
        rows={places}
        rowKey={keyOf}
        columns={columnsOf(store, (place) => setChosen(keyOf(place)))}
      />
      <p className="small">
        Files, audits or moves use these buckets and their keys. Keep both until the list is empty.
      </p>
      {former ? (
        <ProviderForm
          key={chosen}
          choices={[store]}
          former={former}
          onSaved={close}
          onClose={close}
        />
      ) : null}
    </>
  );
}

function columnsOf(
  { needsAccountId, jurisdictions }: ProviderDescription,
  onReplace: (place: FormerPlace) => void,
): readonly Column<FormerPlace>[] {
  return [
    { title: 'Bucket', cell: ({ bucketName }) => bucketName },
    { title: 'Region', cell: ({ region }) => region },
    ...(needsAccountId
      ? [{ title: 'Account', cell: ({ accountId }: FormerPlace) => accountId }]
      : []),
    ...(jurisdictions.length > 0
      ? [{ title: 'Jurisdiction', cell: ({ jurisdiction }: FormerPlace) => jurisdiction ?? 'None' }]
      : []),
    { title: 'Access key', cell: ({ accessKeyIdMasked }) => accessKeyIdMasked },
    { title: 'Files', isNumber: true, cell: ({ files }) => formatNumber(files) },
    { title: 'Size', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
    { title: 'Replaced', cell: ({ since }) => <Time iso={since} /> },
    {
      title: 'Credentials',
      cell: (place) => (
        <ChangeButton
          kind="quiet"
          label={`New keys for ${place.bucketName}`}
          onPress={() => onReplace(place)}
        >
          New keys
        </ChangeButton>
      ),
    },
  ];
}

function keyOf({ bucketName, region, accountId, jurisdiction }: FormerPlace): string {
  return JSON.stringify([bucketName, region, accountId, jurisdiction]);
}
