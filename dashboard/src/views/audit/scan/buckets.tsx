import {
  ageBandTitle,
  sizeBandTitle,
  formatBytes,
  formatCount,
  formatMoney,
  formatNumber,
  formatRow,
  roundRows,
  type ScannedBucket,
  type ScanResult,
} from '@storage-routing/client';
import { useState } from 'react';
import { ActionButton } from '../../../parts/action-button.tsx';
import { Card } from '../../../parts/card.tsx';
import { numberColumn } from '../../../parts/columns.tsx';
import { ListTable } from '../../../parts/list-table.tsx';
import { formatCode } from '../../../format/code.ts';
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
        <Costs scan={scan} buckets={buckets} />
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
              {`Show all ${formatNumber(buckets.length)} buckets`}
            </ActionButton>
          </div>
        ) : null}
      </Card>
    </>
  );
}

interface CostsRow extends ScannedBucket {
  readonly nowCents: number;
  readonly thenCents: number;
}

/** Each column adds up to the total of the audit. */
function Costs({ scan, buckets }: CostsProps) {
  const { currentMonthlyCostUsd, optimalMonthlyCostUsd } = scan.summary;
  const now = roundRows(
    buckets.map((each) => each.currentMonthlyCostUsd),
    currentMonthlyCostUsd,
  );
  const then = roundRows(
    buckets.map((each) => each.optimalMonthlyCostUsd),
    optimalMonthlyCostUsd,
  );
  const rows: readonly CostsRow[] = buckets.map((bucket, at) => ({
    ...bucket,
    nowCents: now[at] ?? 0,
    thenCents: then[at] ?? 0,
  }));
  const most = Math.max(
    ...buckets.map((each) => Math.max(each.currentMonthlyCostUsd, each.optimalMonthlyCostUsd)),
    Number.MIN_VALUE,
  );
  return (
    <>
      <p className="legend" aria-hidden="true">
        <span>now</span>
        <span className="legend-then">after</span>
      </p>
      <ListTable
        caption="Costs a month, now and after every step"
        fileName={`buckets-${scan.scanId}`}
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          {
            title: 'Bucket',
            value: ({ name }) => name,
            cell: ({ name, region }) => (
              <>
                <code>{name}</code>
                <span className="quiet small">{region}</span>
              </>
            ),
          },
          {
            title: 'Compared',
            isMinor: true,
            cell: ({ currentMonthlyCostUsd: from, optimalMonthlyCostUsd: to }) => (
              <span className="pair">
                <Track share={from / most} />
                <Track share={to / most} tone="then" />
              </span>
            ),
          },
          numberColumn('Size', 'bytes', formatBytes, true),
          {
            title: 'Now',
            isNumber: true,
            value: ({ currentMonthlyCostUsd: usd }) => usd,
            cell: ({ currentMonthlyCostUsd: usd, nowCents }) => formatRow(usd, nowCents),
          },
          {
            title: 'After',
            isNumber: true,
            value: ({ optimalMonthlyCostUsd: usd }) => usd,
            cell: ({ optimalMonthlyCostUsd: usd, thenCents }) => formatRow(usd, thenCents),
          },
        ]}
      />
      <p>
        Together {formatMoney(currentMonthlyCostUsd)} now, {formatMoney(optimalMonthlyCostUsd)}{' '}
        after.
      </p>
    </>
  );
}

interface CostsProps {
  readonly scan: ScanResult;
  readonly buckets: readonly ScannedBucket[];
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
          {error ? 'not read' : `${formatCount(objects, 'object')}, ${formatBytes(bytes)}`}
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
        groups={label(bucket.byAge, ({ band }) => ageBandTitle(band))}
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
        groups={label(bucket.bySize, ({ band }) => sizeBandTitle(band))}
      />
      <Distribution
        caption={`Kinds of content of ${name}, by the ending of the name`}
        what="Kind"
        by="bytes"
        groups={label(bucket.byContent, ({ kind }) => formatCode(kind))}
      />
      <Distribution
        caption={`Prefixes of ${name}, the largest first`}
        what="Prefix"
        by="bytes"
        groups={label(bucket.byPrefix, ({ prefix }) =>
          prefix === '*' ? 'everything else' : prefix,
        )}
      />
    </div>
  );
}

interface Counted {
  readonly objects: number;
  readonly bytes: number;
}
