import {
  formatBytes,
  formatCount,
  formatNumber,
  type FormerPlace,
  type Provider,
  type ProviderDescription,
  type ProviderInfo,
} from '@storage-routing/client';
import { useState } from 'react';
import { placeOf } from '../../data/providers.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { numberColumn, textColumn } from '../../parts/columns.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Time } from '../../parts/time.tsx';
import { ProviderForm } from './provider-form.tsx';
import { RelocateDialog } from './relocate-dialog.tsx';

interface FormerPlacesProps {
  readonly store: ProviderDescription;
  /** With at least one former place. */
  readonly info: ProviderInfo;
  /** The other stores of the account. */
  readonly others: readonly Provider[];
}

/** Where earlier files are, and a form for the new keys of such a place. */
export function FormerPlaces({ store, info, others }: FormerPlacesProps) {
  const [chosen, setChosen] = useState<string | undefined>();
  const former = info.formerPlaces.find((place) => keyOf(place) === chosen);
  const close = () => setChosen(undefined);
  const [moving, setMoving] = useState<FormerPlace | undefined>();
  return (
    <>
      <DataTable
        caption="Former places, which are still needed"
        rows={info.formerPlaces}
        rowKey={keyOf}
        columns={columnsOf(info, (place) => setChosen(keyOf(place)), setMoving)}
      />
      <p className="small">
        Files, audits or moves use these buckets and their keys. Keep both until the list is empty.
      </p>
      {moving ? (
        <RelocateDialog
          from={placeOf(info.provider, moving)}
          targets={[info.provider, ...others]}
          onClose={() => setMoving(undefined)}
        />
      ) : null}
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
  current: ProviderInfo,
  onReplace: (place: FormerPlace) => void,
  onMove: (place: FormerPlace) => void,
): readonly Column<FormerPlace>[] {
  return [
    { title: 'Bucket', cell: (place) => <Bucket place={place} current={current} /> },
    textColumn('Region', 'region'),
    textColumn('Access key', 'accessKeyIdMasked'),
    numberColumn('Files', 'files', formatNumber),
    numberColumn('Size', 'bytes', formatBytes),
    { title: 'Replaced', cell: ({ since }) => <Time iso={since} /> },
    {
      title: 'Move',
      cell: (place) =>
        place.files === 0 ? (
          '–'
        ) : (
          <ChangeButton
            kind="quiet"
            label={`Move ${formatCount(place.files, 'file')} of ${place.bucketName}`}
            onPress={() => onMove(place)}
          >
            {`Move ${formatCount(place.files, 'file')}`}
          </ChangeButton>
        ),
    },
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

/** With its jurisdiction, and its account where it is another one. */
function Bucket({
  place,
  current,
}: {
  readonly place: FormerPlace;
  readonly current: ProviderInfo;
}) {
  const { bucketName, jurisdiction, accountId } = place;
  return (
    <>
      {bucketName}
      {jurisdiction === undefined ? null : <span className="small">{jurisdiction}</span>}
      {accountId === current.accountId ? null : <code className="small">{accountId}</code>}
    </>
  );
}

function keyOf({ bucketName, region, accountId, jurisdiction }: FormerPlace): string {
  return JSON.stringify([bucketName, region, accountId, jurisdiction]);
}
