import type { StoreData } from '../../domain/providers/catalogue.ts';

const SHEET = {
  bytesPerGb: 1e9,
  storagePerGbMonth: 0.1,
  putPerRequest: 0,
  getPerRequest: 0,
  listPerRequest: 0,
  retrievalPerGb: 0,
  egress: { free: true },
  minDays: 0,
  minBillableBytes: 0,
  floorUsdPerMonth: 0,
} as const;

/** A MinIO of the operator's own, in the form of `STORES_FILE`. */
export const OWN: StoreData = {
  provider: 'own-minio',
  title: 'Our MinIO',
  kind: 'general',
  host: 'minio.example.com:9000',
  regionPattern: '^us-east-1$',
  regionExample: 'us-east-1',
  pathStyle: true,
  limits: { singlePutBytes: 5_368_709_120, objectBytes: 5_497_558_138_880, parts: 10_000 },
  sheet: SHEET,
};

/** An operator's catalogue: stores of their own, one dear, one cheap, one that lists in no order, and one on files. */
export const OWN_STORES: readonly StoreData[] = [
  OWN,
  {
    ...OWN,
    provider: 'own-cheap',
    title: 'Our archive',
    sheet: { ...SHEET, storagePerGbMonth: 0.0001 },
  },
  { ...OWN, provider: 'unsorted', title: 'Unsorted' },
  {
    ...OWN,
    provider: 'own-files',
    title: 'Our files',
    sheet: { ...SHEET, storagePerGbMonth: 0.001 },
  },
];
