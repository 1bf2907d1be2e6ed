import type { ScannedBucket, ScanResult } from '@storage-routing/client';
import { useState } from 'react';
import { formatBytes, formatCount, formatUsd, formatCounted } from '../../../format/values.ts';
import { ActionButton } from '../../../parts/action-button.tsx';
import { Card } from '../../../parts/card.tsx';
import { LongTable } from '../long-table.tsx';
import { wordsFromCode } from '../../../format/words.ts';
import { ageWords, prefixWords, sizeWords } from './bands.ts';
import { Distribution, Track } from './distribution.tsx';

const SHOWN = 20;

/** Costs of each bucket, now and as recommended; and what each holds. */
export function Buckets({ scan }: { readonly scan: ScanResult }) {
  const [isWhole, setWhole] = useState(false);
  const buckets = [...scan.buckets].sort(
    (a, b) => b.currentMonthlyCostUsd - a.currentMonthlyCostUsd,
  );
  if (buckets.length === 0) return null;
  return (
    <>
      <Card title="Costs by bucket">
        <Costs buckets={buckets} />
      </Card>
      <Card title="What the buckets hold">
        <div>
          {(isWhole ? buckets : buckets.slice(0, SHOWN)).map((bucket) => (
            <Bucket key={bucket.name} bucket={bucket} />
          ))}
        </div>
        {buckets.length > SHOWN && !isWhole ? (
          <div className="actions">
            <ActionButton onPress={() => setWhole(true)}>
              {`Show all ${formatCount(buckets.length)} buckets`}
            </ActionButton>
          </div>
        ) : null}
      </Card>
    </>
  );
}

function Costs({ buckets }: { readonly buckets: readonly ScannedBucket[] }) {
  const most = Math.max(
    ...buckets.map((each) => Math.max(each.currentMonthlyCostUsd, each.optimalMonthlyCostUsd)),
    Number.MIN_VALUE,
  );
  return (
    <>
      <p className="legend" aria-hidden="true">
        <span>now</span>
        <span className="legend-then">as recommended</span>
      </p>
      <LongTable
        caption="Costs a month, now and as recommended"
        rows={buckets}
        rowKey={({ name }) => name}
        columns={[
          {
            title: 'Bucket',
            cell: ({ name, region }) => (
              <>
                <code>{name}</code>
                <span className="quiet small">{region}</span>
              </>
            ),
          },
          {
            title: 'Compared',
            cell: ({ currentMonthlyCostUsd: now, optimalMonthlyCostUsd: then }) => (
              <span className="pair">
                <Track share={now / most} />
                <Track share={then / most} tone="then" />
              </span>
            ),
          },
          { title: 'Now', isNumber: true, cell: (row) => formatUsd(row.currentMonthlyCostUsd) },
          {
            title: 'As recommended',
            isNumber: true,
            cell: (row) => formatUsd(row.optimalMonthlyCostUsd),
          },
          {
            title: 'Saves',
            isNumber: true,
            cell: (row) => formatUsd(row.currentMonthlyCostUsd - row.optimalMonthlyCostUsd),
          },
        ]}
      />
    </>
  );
}

/** The tables are made when the bucket is opened. */
function Bucket({ bucket }: { readonly bucket: ScannedBucket }) {
  const [isOpen, setOpen] = useState(false);
  const { name, objects, bytes, error } = bucket;
  return (
    <details className="bucket" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <code>{name}</code>{' '}
        <span className="quiet">
          {error ? 'not read' : `${formatCounted(objects, 'object')}, ${formatBytes(bytes)}`}
        </span>
      </summary>
      {isOpen ? <Contents bucket={bucket} /> : null}
    </details>
  );
}

function Contents({ bucket }: { readonly bucket: ScannedBucket }) {
  const { name, objects, error } = bucket;
  if (error) return <p className="bucket-body">It could not be read: {error.message}</p>;
  if (objects === 0) return <p className="bucket-body">It holds no object.</p>;
  const label = <T extends object>(groups: readonly (T & Counted)[], of: (group: T) => string) =>
    groups.map((group) => ({ ...group, label: of(group) }));
  return (
    <div className="bucket-body">
      <Distribution
        caption={`Age of the objects of ${name}`}
        what="Age"
        by="bytes"
        groups={label(bucket.byAge, ({ band }) => ageWords(band))}
      />
      <Distribution
        caption={`Storage classes of ${name}`}
        what="Class"
        by="bytes"
        groups={label(bucket.byStorageClass, ({ storageClass }) => storageClass)}
      />
      <Distribution
        caption={`Sizes of the objects of ${name}`}
        what="Size of an object"
        by="objects"
        groups={label(bucket.bySize, ({ band }) => sizeWords(band))}
      />
      <Distribution
        caption={`Kinds of content of ${name}, by the ending of the name`}
        what="Kind"
        by="bytes"
        groups={label(bucket.byContent, ({ kind }) => wordsFromCode(kind))}
      />
      <Distribution
        caption={`Prefixes of ${name}, the largest first`}
        what="Prefix"
        by="bytes"
        groups={label(bucket.byPrefix, ({ prefix }) => prefixWords(prefix))}
      />
    </div>
  );
}

interface Counted {
  readonly objects: number;
  readonly bytes: number;
}
