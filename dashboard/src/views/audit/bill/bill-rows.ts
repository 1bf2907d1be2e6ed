import { classTitle, type ScanResult } from '@storage-routing/client';

export type BillSummary = NonNullable<ScanResult['summary']['bill']>;

type PriceLine = BillSummary['lines'][number]['line'];

const LINES: Readonly<Record<PriceLine, string>> = {
  storage: 'Storage',
  put: 'Write requests',
  get: 'Read requests',
  retrieval: 'Retrieval',
  egress: 'Egress',
  monitoring: 'Monitoring',
  other: 'Other lines',
};

/** `Storage, S3 Standard`. */
export function priceTitle(line: PriceLine, storageClass: string | null): string {
  return storageClass === null ? LINES[line] : `${LINES[line]}, ${classTitle('aws', storageClass)}`;
}

/** What was paid for a class in a region, split by what was listed of it. */
export interface StoragePlace {
  readonly label: string;
  readonly tick: string;
  readonly foundUsd: number;
  readonly lostUsd: number;
}

/** A bar of less is not seen. */
const LEAST_SHOWN_USD = 0.005;

/** The most expensive first. */
export function storagePlaces({ lines }: BillSummary): readonly StoragePlace[] {
  const places = new Map<string, { usd: number; billed: number; listed: number; tick: string }>();
  for (const { line, region, storageClass, netUsd, quantity, listedQuantity } of lines) {
    if (line !== 'storage' || storageClass === null) continue;
    const label = `${classTitle('aws', storageClass)} in ${region}`;
    const sums = places.get(label) ?? { usd: 0, billed: 0, listed: 0, tick: label };
    places.set(label, {
      ...sums,
      usd: sums.usd + netUsd,
      billed: sums.billed + quantity,
      listed: listedQuantity ?? 0,
    });
  }
  return [...places]
    .map(([label, { usd, billed, listed, tick }]) => {
      const foundUsd = usd * (billed > 0 ? Math.min(1, listed / billed) : 1);
      return { label, tick, foundUsd, lostUsd: Math.max(0, usd - foundUsd) };
    })
    .filter(({ foundUsd, lostUsd }) => foundUsd + lostUsd >= LEAST_SHOWN_USD)
    .sort((a, b) => b.foundUsd + b.lostUsd - a.foundUsd - a.lostUsd);
}
