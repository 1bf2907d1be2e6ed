import type { Directory, RoleSpec, SessionFilter, UserSpec } from '../identity/directory.ts';
import { DEFAULT_ACCOUNT_ID } from '../identity/directory.ts';
import { applyLifecycle } from '../lifecycle/apply.ts';
import type { Bodies } from '../store/bodies.ts';
import { createBucket, type Buckets, type Versioning } from '../store/bucket.ts';
import type { Tag } from '../store/version.ts';

import { DEFAULT_REGION } from '../wire/regions.ts';
import type { FaultSpec, Faults } from './faults.ts';
import type { RequestLog, RequestCounts, RequestLogEntry } from './request-log.ts';
import { seedBucket, type SeedSpec } from './seed.ts';

/** A bucket to create or change. */
export interface BucketSpec {
  readonly name: string;
  /** Default `us-east-1`. */
  readonly region?: string;
  readonly accountId?: string;
  /** ISO 8601. Default: now. */
  readonly createdAt?: string;
  readonly versioning?: Versioning;
  readonly tags?: readonly Tag[];
  /**
   * The bytes of a larger PUT or part are verified, hashed and counted, and not kept: reading them
   * answers 501 `NotImplemented`. Default: all are kept.
   */
  readonly keepBodiesUpToBytes?: number;
  /** Documents by sub-resource: `lifecycle`, `encryption`, `cors`, `policy`, `ownershipControls`, … */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The control interface: everything a test can do to the double beside AWS's own API. */
export interface Control {
  putUser(spec: UserSpec): void;
  removeUser(accessKeyId: string): void;
  putRole(spec: RoleSpec): void;
  removeRole(roleArn: string): void;
  /** Running sessions answer `ExpiredToken` from now on. Returns how many. */
  expireSessions(filter?: SessionFilter): number;
  /** Running sessions answer `AccessDenied` from now on. Returns how many. */
  revokeSessions(filter?: SessionFilter): number;
  /** Creates a bucket, or changes the given settings of an existing one. */
  putBucket(spec: BucketSpec): void;
  removeBucket(name: string): void;
  seed(spec: SeedSpec): void;
  /** Carries out at once what the bucket's lifecycle rules have due. S3 does it about once a day. */
  applyLifecycle(bucket: string): Promise<void>;
  addFault(spec: FaultSpec): void;
  clearFaults(): void;
  counts(): RequestCounts;
  /** The latest requests, at most 10,000, the oldest first. */
  requests(): readonly RequestLogEntry[];
  resetCounters(): void;
}

/** Dependencies of the control. */
export interface ControlDeps {
  readonly directory: Directory;
  readonly buckets: Buckets;
  readonly bodies: Bodies;
  readonly faults: Faults;
  readonly requestLog: RequestLog;
  now(): number;
}

/** Creates the control. */
export function createControl(deps: ControlDeps): Control {
  const { directory, faults, requestLog } = deps;
  return {
    putUser: (spec) => directory.putUser(spec),
    removeUser: (accessKeyId) => directory.removeUser(accessKeyId),
    putRole: (spec) => directory.putRole(spec),
    removeRole: (roleArn) => directory.removeRole(roleArn),
    expireSessions: (filter = {}) => directory.expireSessions(filter),
    revokeSessions: (filter = {}) => directory.revokeSessions(filter),
    putBucket: (spec) => putBucket(deps, spec),
    removeBucket: (name) => deps.buckets.remove(name),
    seed(spec) {
      const bucket = deps.buckets.get(spec.bucket);
      if (bucket === undefined) throw new TypeError(`unknown bucket: ${spec.bucket}`);
      seedBucket(bucket, spec, deps.now(), deps.bodies);
    },
    async applyLifecycle(name) {
      const bucket = deps.buckets.get(name);
      if (bucket === undefined) throw new TypeError(`unknown bucket: ${name}`);
      await applyLifecycle(bucket, deps.now(), deps.bodies);
    },
    addFault: (spec) => faults.add(spec),
    clearFaults: () => faults.clear(),
    counts: () => requestLog.counts(),
    requests: () => requestLog.recent(),
    resetCounters: () => requestLog.reset(),
  };
}

function putBucket(deps: ControlDeps, spec: BucketSpec): void {
  const existing = deps.buckets.get(spec.name);
  const bucket =
    existing ??
    createBucket({
      name: spec.name,
      region: spec.region ?? DEFAULT_REGION,
      accountId: spec.accountId ?? DEFAULT_ACCOUNT_ID,
      createdAtMs: spec.createdAt === undefined ? deps.now() : Date.parse(spec.createdAt),
    });
  if (spec.versioning !== undefined) bucket.versioning = spec.versioning;
  if (spec.tags !== undefined) bucket.tags = spec.tags;
  if (spec.keepBodiesUpToBytes !== undefined) {
    bucket.keepBodiesUpToBytes = spec.keepBodiesUpToBytes;
  }
  for (const [name, document] of Object.entries(spec.settings ?? {})) {
    bucket.settings.set(name, document);
  }
  if (existing === undefined) deps.buckets.add(bucket);
}
