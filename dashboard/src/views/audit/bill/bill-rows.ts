import type { ScanResult } from '@storage-routing/client';

export type BillSummary = NonNullable<ScanResult['summary']['bill']>;
type ReadSource = NonNullable<ScanResult['buckets'][number]['reads']>['source'];

const SOURCES: Readonly<Record<ReadSource, string>> = {
  measured: 'measured by CloudWatch',
  apportioned: 'its share of the bill',
  assumed: 'assumed by age',
};

export function readSourceTitle(source: ReadSource): string {
  return SOURCES[source];
}

/** `October 2026` for `2026-10`. */
export function monthTitle(period: string): string {
  const month = new Date(`${period}-01T00:00:00Z`);
  return month.toLocaleDateString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
}

/** What was paid for a class in a region, split by what was listed of it. */
export interface StoragePlace {
  readonly label: string;
  readonly tick: string;
  readonly foundUsd: number;
  readonly lostUsd: number;
}

/** The most expensive first. */
export function storagePlaces({ lines }: BillSummary): readonly StoragePlace[] {
  const places = new Map<string, { usd: number; billed: number; listed: number; tick: string }>();
  for (const { line, region, storageClass, netUsd, quantity, listedQuantity } of lines) {
    if (line !== 'storage' || storageClass === null) continue;
    const label = `${storageClass} in ${region}`;
    const known = places.get(label) ?? { usd: 0, billed: 0, listed: 0, tick: storageClass };
    places.set(label, {
      ...known,
      usd: known.usd + netUsd,
      billed: known.billed + quantity,
      listed: listedQuantity ?? 0,
    });
  }
  return [...places]
    .map(([label, { usd, billed, listed, tick }]) => {
      const foundUsd = usd * (billed > 0 ? Math.min(1, listed / billed) : 1);
      return { label, tick, foundUsd, lostUsd: Math.max(0, usd - foundUsd) };
    })
    .sort((a, b) => b.foundUsd + b.lostUsd - a.foundUsd - a.lostUsd);
}
