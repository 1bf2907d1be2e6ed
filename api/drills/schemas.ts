import { Type } from 'typebox';
import { DRILL_STATUSES, MAX_SAMPLE_FILES } from '../../domain/drills/drill.ts';
import { DRILL_PERIODS, DUE_DRILL_OUTCOMES } from '../../domain/drills/schedule.ts';
import { OBJECT_FAILURES } from '../../domain/migrations/object-ledger.ts';
import {
  Bytes,
  closed,
  example,
  HourUtc,
  ids,
  nullable,
  oneOf,
  page,
  pageView,
  Problem,
  Time,
  Usd,
} from '../http/schemas.ts';
import { BucketName } from '../providers/schemas.ts';
import {
  EstimateView,
  Files,
  MaxTotalUsd,
  NamedPlace,
  NoFiles,
  PlaceView,
  Sha256,
  spending,
  ToProvider,
} from '../relocations/schemas.ts';

/** Requests and answers of exit drills. */

export const DrillId = Type.Object({ drillId: ids.drill }, closed);
export const DrillsQuery = Type.Object({ ...page }, closed);

const NamedBucket = Type.Object(
  { connectionId: ids.connection, bucketName: example(BucketName, 'acme-files') },
  { ...closed, description: 'a bucket that the last completed scan of the connection has read' },
);
const SAMPLE = { ...closed, description: 'how many files, or files of how many bytes' };

const wanted = {
  from: Type.Union([NamedPlace, NamedBucket]),
  to: ToProvider,
  sample: Type.Union([
    Type.Object(
      { files: example(Type.Integer({ minimum: 1, maximum: MAX_SAMPLE_FILES }), 200) },
      SAMPLE,
    ),
    Type.Object({ bytes: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }, SAMPLE),
  ]),
} as const;
export const DrillRequest = Type.Object({ ...wanted, ...spending }, closed);

const rule = { every: example(oneOf(DRILL_PERIODS), 'quarter'), hourUtc: HourUtc } as const;
const ScheduledDrill = Type.Object({ ...wanted, maxTotalUsd: MaxTotalUsd }, closed);
export const DrillScheduleRequest = Type.Object({ ...rule, drill: ScheduledDrill }, closed);
export const DrillScheduleView = Type.Object({
  ...rule,
  drill: ScheduledDrill,
  nextAt: example(Time, '2026-12-11T03:24:51.000Z'),
  last: nullable(
    Type.Object(
      {
        at: example(Time, '2026-09-11T03:25:10.000Z'),
        drillId: nullable(ids.drill),
        outcome: oneOf(DUE_DRILL_OUTCOMES),
      },
      { description: 'what became of the last time; null until the first' },
    ),
  ),
});

export const DrillEstimateView = Type.Object({
  ...EstimateView.properties,
  bytes: { ...Bytes, description: 'the bytes of the largest sample to be expected' },
  readBackUsd: example(
    { ...Usd, description: 'requests and egress at the target, to read the copies back' },
    0.02,
  ),
  totalUsd: example({ ...Usd, description: 'what `maxTotalUsd` is compared with' }, 0.41),
});

const Key = example(Type.String(), 'photos/2024/a.jpg');
const Hours = nullable(example(Type.Number({ minimum: 0 }), 31.4));
const findings = {
  drillId: ids.drill,
  status: example(oneOf(DRILL_STATUSES), 'completed'),
  from: Type.Object({
    ...PlaceView.properties,
    connectionId: Type.Optional(ids.connection),
  }),
  to: PlaceView,
  seed: example(Type.String(), '9f86d081884c7d659a2feaa0c55ad015'),
  sample: Type.Object({
    files: Files,
    bytes: Bytes,
    strata: Type.Array(
      Type.Object({
        what: example(Type.String(), '1MiB-64MiB, 30-90 days, photos/'),
        files: Files,
        bytes: Bytes,
        ofFiles: Files,
        ofBytes: Bytes,
      }),
      { description: 'what is in the sample of each stratum, and of how much' },
    ),
  }),
  results: Type.Object({
    copied: Files,
    readBack: Files,
    equal: Files,
    failed: NoFiles,
    failures: Type.Array(
      Type.Object({
        key: Key,
        code: example(oneOf(OBJECT_FAILURES), 'target_differs'),
        reason: example(Type.String(), 'the target holds other bytes than were sent'),
      }),
      { description: 'the first 100; `failed` counts all' },
    ),
    byCode: Type.Array(
      Type.Object({ code: example(oneOf(OBJECT_FAILURES), 'target_differs'), files: Files }),
      { description: 'all that failed, by their codes' },
    ),
    bytesPerSecond: Bytes,
    requests: Files,
    retries: NoFiles,
    rootHash: nullable({ ...Sha256, description: 'the root of the tree over the proven objects' }),
  }),
  whole: Type.Object({
    files: Files,
    bytes: Bytes,
    hoursFrom: Hours,
    hoursTo: Hours,
    onceUsd: example(Usd, 384),
    monthlyUsd: example(Usd, 29),
  }),
  notTried: Type.Array(example(Type.String(), 'older versions of objects, and delete markers')),
  removed: example(Type.Boolean({ description: 'nothing of it is left at the target' }), true),
  left: Type.Array(example(Type.String(), 'drill/2f8d6b4a-0c1e-4d3f-a5b7-9e8c7d6f5a4b/00001'), {
    description: 'keys that the target has kept, the first 100',
  }),
  costUsd: example(Usd, 0.41),
  startedBy: example(Type.String(), 'auth0|5e8f1c'),
  startedByName: example(Type.String(), 'Ada Example'),
  startedAt: Time,
  completedAt: nullable(Time),
  error: Problem,
} as const;

export const DrillView = Type.Object({
  ...findings,
  certificateSha256: nullable({
    ...Sha256,
    description: 'the SHA-256 of the certificate as JSON',
  }),
});

export const DrillsPage = Type.Object({
  items: Type.Array(DrillView, { description: 'the newest first' }),
  ...pageView,
});

export const CertificateView = Type.Object({
  format: example(Type.String(), 'storage-routing-exit-drill/1'),
  ...findings,
  method: Type.Array(example(Type.String(), 'Each object was copied, and read back.')),
  objects: Type.Array(
    Type.Object({
      key: Key,
      etag: example(Type.String(), '9e107d9d372bb6826bd81d3542a419d6'),
      bytes: Bytes,
      sha256: nullable(Sha256),
    }),
    { description: 'the leaves of the tree under `rootHash`, in the order of their keys' },
  ),
});
