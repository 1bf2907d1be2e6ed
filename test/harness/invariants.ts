import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { toCredentials } from '../../dev/first-account.ts';
import type { ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { openDatabase } from './customer.ts';
import { checkAcknowledged, type Acknowledgements } from './invariants/acknowledgements.ts';
import { checkFigures, checkLives, readFiles } from './invariants/files.ts';
import {
  INVARIANTS,
  type Evidence,
  type OwnedBucket,
  type Violation,
} from './invariants/invariant.ts';
import { checkPrivacy } from './invariants/privacy.ts';
import { checkRuns } from './invariants/runs.ts';
import {
  checkCopies,
  checkDrills,
  checkMultipartUploads,
  checkObjects,
} from './invariants/stores.ts';
import type { MigrationCustomer } from './migration-customer.ts';
import { openTemporalClient } from './temporal.ts';

export interface InvariantOptions {
  readonly stack: Stack;
  /** The processes whose logs are searched. */
  readonly service: {
    readonly apis: readonly Pick<ServiceProcess, 'readLog'>[];
    readonly workers: readonly Pick<ServiceProcess, 'readLog'>[];
  };
  readonly acknowledged?: Pick<Acknowledgements, 'files'>;
  /** Buckets with uploads besides those of the stack. */
  readonly places?: readonly OwnedBucket[];
  /** Customers with targets in the double. */
  readonly migrating?: readonly MigrationCustomer[];
  /** Accounts that the suite has broken on purpose. */
  readonly leftOut?: readonly string[];
}

/** A sweep per minute, a quota reconciliation of half a minute, and slack for a busy machine. */
const HEALED_WITHIN_MS = 180_000;
const PAUSE_MS = 1_000;
const PROVIDERS = ['aws', 'r2', 'b2'] as const;
const SECRET_VARIABLE = /SECRET|CREDENTIAL_KEYS|EXTERNAL_ID|STRIPE_.*KEY|^DASHBOARD_TOKEN/;

/**
 * Asserts the invariants at the end of a run. What a killed process has left is continued by the
 * service itself, so the check waits for it; what is due at the beginning of the check has to be done.
 *
 * @throws AssertionError that names each violated invariant, with the ids concerned
 */
export async function assertInvariants(options: InvariantOptions): Promise<void> {
  const asOf = new Date();
  const until = performance.now() + HEALED_WITHIN_MS;
  await withEvidence(options, async (evidence) => {
    let isReconciled = false;
    for (;;) {
      const violations = await findPresentViolations(evidence, options, asOf);
      if (violations.length === 0) break;
      assert.ok(performance.now() < until, describeViolations(violations));
      if (!isReconciled && violations.some(({ invariant }) => invariant === 'quota')) {
        isReconciled = true;
        // Hourly otherwise. Bookings that an init left without a file are taken back here.
        await evidence.temporal.schedule.getHandle('reconcile-quota').trigger();
      }
      await wait(PAUSE_MS);
    }
    const violations = await findLastingViolations(evidence);
    assert.equal(violations.length, 0, describeViolations(violations));
  });
}

/** Every violation at this moment, without waiting for the service to continue its work. */
export async function findViolations(options: InvariantOptions): Promise<Violation[]> {
  return await withEvidence(options, async (evidence) => [
    ...(await findPresentViolations(evidence, options, new Date())),
    ...(await findLastingViolations(evidence)),
  ]);
}

/** Those that the service may still mend. */
async function findPresentViolations(
  evidence: Evidence,
  { acknowledged }: InvariantOptions,
  asOf: Date,
): Promise<Violation[]> {
  const files = await readFiles(evidence);
  const found = await Promise.all([
    checkLives(evidence, files, asOf),
    checkFigures(evidence, files),
    checkObjects(evidence, files),
    checkMultipartUploads(evidence, files),
    checkRuns(evidence),
    checkDrills(evidence),
  ]);
  return [...checkAcknowledged(acknowledged?.files ?? new Map(), files), ...found.flat()];
}

/** Those that stay. */
async function findLastingViolations(evidence: Evidence): Promise<Violation[]> {
  const files = await readFiles(evidence);
  return [...checkCopies(evidence), ...(await checkPrivacy(evidence, files))];
}

async function withEvidence<Result>(
  { stack, service, places = [], migrating = [], leftOut = [] }: InvariantOptions,
  check: (evidence: Evidence) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase(stack);
  const temporal = await openTemporalClient(stack);
  const own = PROVIDERS.map((provider) => openBucket(provider, stack));
  try {
    return await check({
      db: database.db,
      temporal,
      uploads: [...own, ...places],
      targets: migrating.map(({ target, s3For }) => ({ name: target, s3: s3For(target) })),
      double: stack.cloud?.double,
      readLogs: async () =>
        await Promise.all([...service.apis, ...service.workers].map((each) => each.readLog())),
      secrets: [
        ...Object.entries(stack.environment).flatMap(([name, value]) =>
          SECRET_VARIABLE.test(name) ? [value] : [],
        ),
        ...migrating.flatMap(({ keys, externalId }) => [
          keys.source.secretAccessKey,
          keys.target.secretAccessKey,
          externalId,
        ]),
      ],
      leftOut: new Set(leftOut),
    });
  } finally {
    for (const { s3 } of own) s3.destroy();
    await temporal.connection.close();
    await database.close();
  }
}

/** The upload bucket of a stack, with the rights of its owner. */
export function openBucket(provider: (typeof PROVIDERS)[number], { environment }: Stack) {
  const { bucketName, region, accessKeyId, secretAccessKey } = toCredentials(provider, environment);
  const s3 = new S3Client({
    endpoint: environment[`PROVIDER_ENDPOINT_${provider.toUpperCase()}`] ?? '',
    forcePathStyle: true,
    region,
    credentials: { accessKeyId, secretAccessKey },
  });
  return { name: bucketName, s3 };
}

function describeViolations(violations: readonly Violation[]): string {
  const lines = violations.map(
    ({ invariant, ids }) => `- ${INVARIANTS[invariant]} (${invariant}): ${ids.join(', ')}`,
  );
  return ['violated invariants:', ...lines].join('\n');
}
