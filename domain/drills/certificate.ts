import type { MigrationError } from '../migrations/migration.ts';
import { FAILURE_REASONS, type LedgerLine } from '../migrations/object-ledger.ts';
import type { ReleasedObject } from '../migrations/release.ts';
import type { StoreLocation } from '../providers/catalogue.ts';
import {
  costOf,
  notTried,
  provenObject,
  type DrillRecord,
  type DrillResults,
  type DrillStatus,
} from './drill.ts';
import { hoursForAll } from './estimate.ts';
import type { Stratum } from './sample.ts';

/** What a drill has found so far, as its owner reads it. */
export type DrillFindings = ReturnType<typeof describeDrill>;

export function describeDrill(drill: DrillRecord, results: DrillResults) {
  const { sampled, from, connectionId, startedAt, completedAt } = drill;
  const { files, bytes, strata } = sampled ?? { files: 0, bytes: 0, strata: [] };
  const { onceUsd, monthlyUsd, ...whole } = sampled?.whole ?? NOTHING;
  const hours = hoursForAll(results, drill.copyMs, whole);
  return {
    drillId: drill.drillId,
    status: drill.status satisfies DrillStatus,
    from: { ...placeOf(from), ...(connectionId === null ? {} : { connectionId }) },
    to: placeOf(drill.to),
    seed: drill.seed,
    sample: { files, bytes, strata: strata.map(stratumOf) },
    results: {
      copied: results.copied,
      readBack: results.readBack,
      equal: results.equal,
      failed: results.failed,
      failures: results.failures.map(({ key, code }) => ({
        key,
        code,
        reason: FAILURE_REASONS[code],
      })),
      byCode: results.byCode.map(({ code, files: failed }) => ({ code, files: failed })),
      bytesPerSecond: results.bytesPerSecond,
      requests: results.requests,
      retries: results.retries,
      rootHash: results.rootHash,
    },
    whole: {
      ...whole,
      hoursFrom: hours?.hoursFrom ?? null,
      hoursTo: hours?.hoursTo ?? null,
      onceUsd,
      monthlyUsd,
    },
    notTried: notTried(drill),
    removed: drill.removed,
    left: drill.left,
    costUsd: costOf(drill, results),
    startedBy: drill.startedBy,
    startedByName: drill.startedByName,
    startedAt: startedAt.toISOString(),
    completedAt: completedAt?.toISOString() ?? null,
    error: drill.error && problemOf(drill.error),
  };
}

/** What a drill proves, with each object that was the same when read back. */
export interface Certificate extends DrillFindings {
  readonly format: 'storage-routing-exit-drill/1';
  /** How the sample was drawn, and how its hashes are checked. */
  readonly method: readonly string[];
  /** The leaves of the tree under `rootHash`, in the order of their keys. */
  readonly objects: readonly ReleasedObject[];
}

const METHOD = [
  'Each object of the source has the SHA-256 of the seed, a zero byte and its key. The smallest hashes of each stratum (size band, age band, prefix or priority) were chosen, as many as its share of all objects; and always the largest, the smallest, the oldest and the newest object, the longest key, and one key each with characters beyond ASCII, with spaces or plus or per cent signs, with control characters, and with empty or dotted segments.',
  'Each object was copied to drill/<drillId>/<n> at the target and hashed with SHA-256 while it was read at the source. It was then read back with the credentials of the target alone, and hashed again.',
  'rootHash is the root of a Merkle tree as RFC 6962 defines it, with SHA-256. Its leaves are the objects, in the order of their keys: the JSON array of key, etag, sha256 and bytes.',
] as const;

/**
 * The certificate of a drill that has ended, but for its objects. It is stored: a later version of
 * the service may word it otherwise, and the SHA-256 of the certificate stays as it is.
 */
export function certificateHead(drill: DrillRecord, results: DrillResults): string {
  const head: Omit<Certificate, 'objects'> = {
    format: 'storage-routing-exit-drill/1',
    ...describeDrill(drill, results),
    method: METHOD,
  };
  return JSON.stringify(head);
}

/** The certificate as JSON. The same head and lines give the same bytes. */
export function certificateJson(head: string, lines: readonly LedgerLine[]): string {
  const objects = lines.flatMap((line) => provenObject(line) ?? []);
  return `${head.slice(0, -1)},"objects":${JSON.stringify(objects)}}`;
}

export function readCertificate(json: string): Certificate {
  return JSON.parse(json) as Certificate;
}

const NOTHING = { files: 0, bytes: 0, onceUsd: 0, monthlyUsd: 0 };

/** The order of the fields does not depend on what is stored. */
function placeOf({ provider, bucketName, region, accountId, jurisdiction }: StoreLocation) {
  return {
    provider,
    bucketName,
    region,
    ...(accountId === undefined ? {} : { accountId }),
    ...(jurisdiction === undefined ? {} : { jurisdiction }),
  };
}

function stratumOf({ what, files, bytes, ofFiles, ofBytes }: Stratum): Stratum {
  return { what, files, bytes, ofFiles, ofBytes };
}

function problemOf({ code, message }: MigrationError): MigrationError {
  return { code, message };
}
