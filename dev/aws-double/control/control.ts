import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import type { Behaviour } from '../store/behaviour.ts';
import {
  DEFAULT_ACCOUNT_ID,
  type Directory,
  type RoleSpec,
  type SessionFilter,
  type UserSpec,
} from '../identity/directory.ts';
import { type Bucket, type Buckets, createBucket, type Versioning } from '../store/bucket.ts';
import { parseDate } from '../store/generated.ts';
import { applyLifecycle } from '../store/lifecycle.ts';
import { DEFAULT_REGION } from '../wire/request.ts';
import type { RequestCounts, RequestLog, RequestLogEntry } from './exchange.ts';
import type { Faults, FaultSpec } from './faults.ts';
import type { Bills, BillSpec, Metrics, MetricSpec } from '../store/usage.ts';
import { seedBucket, type SeedSpec } from './seed.ts';

/** A bucket to create or change. */
export interface BucketSpec {
  readonly name: string;
  /** Default: that of the store, else `us-east-1`. */
  readonly region?: string;
  readonly accountId?: string;
  /** ISO 8601, of a new bucket. Default: now. */
  readonly createdAt?: string;
  readonly versioning?: Versioning;
  /**
   * The bytes of a larger PUT or part are verified, hashed and counted, and not kept: reading them
   * answers 501 `NotImplemented`. Default: all are kept.
   */
  readonly keepBodiesUpToBytes?: number;
  /** Documents by sub-resource: `lifecycle`, `encryption`, `cors`, `policy`, `ownershipControls`, … */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The control interface: everything a test can do to the double besides AWS's own API. */
export interface Control extends Pick<
  Directory,
  'putUser' | 'removeUser' | 'putRole' | 'removeRole' | 'expireSessions' | 'revokeSessions'
> {
  /** Creates a bucket, or changes the given settings of an existing one. */
  putBucket(spec: BucketSpec): void;
  removeBucket(name: string): void;
  seed(spec: SeedSpec): void;
  /** Replaces what Cost Explorer knows of an account. */
  putBill(spec: BillSpec): void;
  /** Adds series of CloudWatch. */
  putMetrics(specs: readonly MetricSpec[]): void;
  /** Carries out at once what the bucket's lifecycle rules have due. S3 does it about once a day. */
  applyLifecycle(bucket: string): Promise<void>;
  addFault(spec: FaultSpec): void;
  clearFaults(): void;
  counts(): RequestCounts;
  /** The latest requests, at most 100,000, the oldest first. */
  requests(): readonly RequestLogEntry[];
  resetCounters(): void;
}

/** Dependencies of the control. */
interface ControlDeps {
  readonly behaviour: Behaviour;
  readonly directory: Directory;
  readonly buckets: Buckets;
  readonly faults: Faults;
  readonly requestLog: RequestLog;
  readonly bills: Bills;
  readonly metrics: Metrics;
  now(): number;
}

/** Creates the control. */
export function createControl(deps: ControlDeps): Control {
  const { behaviour, directory, buckets, faults, requestLog, bills, metrics, now } = deps;
  function findBucket(name: string): Bucket {
    const bucket = buckets.get(name);
    if (bucket === undefined) throw new TypeError(`unknown bucket: ${name}`);
    return bucket;
  }
  return {
    putUser: directory.putUser,
    removeUser: directory.removeUser,
    putRole: directory.putRole,
    removeRole: directory.removeRole,
    expireSessions: directory.expireSessions,
    revokeSessions: directory.revokeSessions,
    putBucket(spec) {
      const { name, accountId = DEFAULT_ACCOUNT_ID } = spec;
      const region = spec.region ?? behaviour.region ?? DEFAULT_REGION;
      if (behaviour.region !== null && region !== behaviour.region) {
        throw new TypeError(`${region} is not a region of the store`);
      }
      const existing = buckets.get(name);
      const identity = { name, region, accountId, createdAtMs: parseDate(spec.createdAt, now()) };
      const bucket = existing ?? createBucket(identity, behaviour);
      const { versioning = bucket.versioning } = spec;
      if (versioning !== bucket.versioning && behaviour.versions !== 'by_bucket') {
        throw new TypeError(`the store's buckets are all ${bucket.versioning}`);
      }
      bucket.versioning = versioning;
      bucket.keepBodiesUpToBytes = spec.keepBodiesUpToBytes ?? bucket.keepBodiesUpToBytes;
      for (const [setting, document] of Object.entries(spec.settings ?? {})) {
        bucket.settings.set(setting, document);
      }
      if (existing === undefined) buckets.add(bucket);
    },
    removeBucket: (name) => buckets.remove(name),
    putBill: (spec) => bills.put(spec),
    putMetrics: (specs) => metrics.put(specs),
    seed: (spec) => seedBucket(findBucket(spec.bucket), spec, now()),
    applyLifecycle: async (name) => applyLifecycle(findBucket(name), now()),
    addFault: (spec) => faults.add(spec),
    clearFaults: () => faults.clear(),
    counts: () => requestLog.counts(),
    requests: () => requestLog.recent(),
    resetCounters: () => requestLog.reset(),
  };
}

type Handle = (control: Control, body: unknown) => unknown;

// The bodies are the arguments of the functions of the same name, not validated: the only callers
// are tests and tools.
const ROUTES: Readonly<Record<string, Handle>> = {
  'POST /users': (control, body) => control.putUser(body as UserSpec),
  'DELETE /users': (control, body) => control.removeUser((body as UserSpec).accessKeyId),
  'POST /roles': (control, body) => control.putRole(body as RoleSpec),
  'DELETE /roles': (control, body) => control.removeRole((body as RoleSpec).roleArn),
  'POST /sessions/expire': (control, body) => ({
    sessions: control.expireSessions(body as SessionFilter),
  }),
  'POST /sessions/revoke': (control, body) => ({
    sessions: control.revokeSessions(body as SessionFilter),
  }),
  'POST /buckets': (control, body) => control.putBucket(body as BucketSpec),
  'DELETE /buckets': (control, body) => control.removeBucket((body as BucketSpec).name),
  'POST /seed': (control, body) => control.seed(body as SeedSpec),
  'POST /bill': (control, body) => control.putBill(body as BillSpec),
  'POST /metrics': (control, body) => control.putMetrics(body as MetricSpec[]),
  'POST /lifecycle': (control, body) => control.applyLifecycle((body as SeedSpec).bucket),
  'POST /faults': (control, body) => control.addFault(body as FaultSpec),
  'DELETE /faults': (control) => control.clearFaults(),
  'GET /counts': (control) => control.counts(),
  'GET /requests': (control) => ({ ...control.counts(), requests: control.requests() }),
  'POST /reset-counters': (control) => control.resetCounters(),
};

/** The control over HTTP: JSON in, JSON out; 400 with the reason for an invalid call. */
export function createControlListener(control: Control): RequestListener {
  return (incoming, outgoing) => {
    handle(control, incoming, outgoing).catch((error: unknown) => {
      send(outgoing, 400, { error: String(error) });
    });
  };
}

async function handle(
  control: Control,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const route = ROUTES[`${incoming.method} ${incoming.url}`];
  if (route === undefined) {
    send(outgoing, 404, { error: 'unknown call', calls: Object.keys(ROUTES) });
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const result = await route(control, text === '' ? {} : JSON.parse(text));
  send(outgoing, 200, result ?? {});
}

function send(outgoing: ServerResponse, status: number, body: unknown): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify(body));
}
