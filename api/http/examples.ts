/** An example call of the OpenAPI description: request and answers. Keyed by `METHOD path`. */
export type Examples = Readonly<Record<string, Example>>;

export interface Example {
  /** Values of the path's and the query's parameters. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  readonly body?: object;
  /** By status; a string is a document of the route's media type. */
  readonly replies: Readonly<Record<number, object | string>>;
}

/** The ids and times that all examples share. */
export const SAMPLE = {
  fileId: '5f1d2c9a-3a6e-4b2f-9a55-0c6f5b0e7d11',
  connectionId: '8c7b6a59-4d3e-4f2a-8b1c-2d3e4f5a6b7c',
  scanId: '0d4f8f5e-9a1b-4c2d-8e3f-6a7b8c9d0e1f',
  recommendationId: '3b9d1a77-5c2e-4a8f-9d60-7e1f2a3b4c5d',
  migrationId: 'c2f4e6a8-1b3d-4e5f-8a9b-0c1d2e3f4a5b',
  person: 'auth0|5e8f1c',
} as const;

/** The routing decision of the file that all examples share. */
export const ROUTING = {
  provider: 'r2',
  preferredProvider: 'r2',
  priority: 'hot',
  reason: 'Cloudflare R2 is the first choice for hot files.',
  costs: [
    { provider: 'aws', monthlyCostUsd: 0.00001 },
    { provider: 'r2', monthlyCostUsd: 0.000006 },
  ],
  priceBook: '2026-11-22',
} as const;

/** The selector of all objects of a bucket. */
export const WHOLE_BUCKET = {
  prefix: null,
  storageClass: null,
  minAgeDays: null,
  maxAgeDays: null,
  minSizeBytes: null,
} as const;

/** The quote of the move that all examples share. */
export const QUOTE = {
  egressUsd: 37.792969,
  sourceRequestsUsd: 0.00081,
  retrievalUsd: 0,
  earlyDeletionUsd: 0,
  destinationRequestsUsd: 0,
  transitionUsd: 0,
  totalUsd: 37.793779,
  totalWithExitWaiverUsd: 0.00081,
} as const;
