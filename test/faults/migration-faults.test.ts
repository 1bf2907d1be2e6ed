import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { CreateMultipartUploadCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { isSoon } from '../../dev/system/probes.ts';
import type { Migration } from '../../sdk/src/index.ts';
import { eventually } from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import {
  assertIdentical,
  migrationOf,
  objectsOf,
  untilCopied,
  type ApprovedMove,
  type MigrationSuite,
  type MoveOptions,
  type SideFault,
} from '../harness/migration-customer.ts';
import { localMigrationService } from '../servers.ts';

/** What goes wrong, and what becomes of the migration. */
interface Case extends Required<MoveOptions> {
  /** What happens while it runs. */
  readonly during?: (move: ApprovedMove) => Promise<unknown>;
  readonly end: Migration['status'];
  /** Called as soon as its end is answered; the faults are still there. */
  readonly atEnd?: (migration: Migration, move: ApprovedMove) => Promise<void>;
  readonly error?: string | undefined;
  readonly assertEnd?: (migration: Migration, move: ApprovedMove) => unknown;
}

const MIB = 2 ** 20;
const SIZES = [0, 1, 200_000];
/** One is too large to be held in memory. */
const STREAMED_BYTES = 9_000_000;
const mixed = (count: number) =>
  objectsOf(count, (n) => (n === 3 ? STREAMED_BYTES : (SIZES[n % SIZES.length] ?? 0)));

const at = (
  side: SideFault['side'],
  effect: SideFault['effect'],
  operation: string,
  more: Partial<SideFault> = {},
): SideFault => ({ side, effect, operation, ...more });
const slowSource = (latencyMs: number) => at('source', 'latency', 'GetObject', { latencyMs });

/** What is copied, and not the test object of an approval, which would refuse the target. */
const OBJECT = '*/o/*';
/** The object that is copied in parts. */
const PARTS = '*/parts';
/** Three pages: as many slices work on them. */
const IN_SLICES = 2_100;
/** Longer than a slice, and than an object in flight. */
const WATCHED_MS = 6_000;
/** The migration takes a minute, and its slices end at different times. */
const UNEVEN = {
  objects: objectsOf(IN_SLICES),
  faults: [
    slowSource(400),
    at('target', 'latency', 'PutObject', { key: '*/o/0*', latencyMs: 400 }),
    at('target', 'latency', 'PutObject', { key: '*/o/1*', latencyMs: 400 }),
    at('target', 'latency', 'PutObject', { key: '*/o/2*', latencyMs: 8_000 }),
  ],
} as const;

/** Each of these passes, and then everything is there. */
const TRANSIENT: Readonly<Record<string, readonly SideFault[]>> = {
  'a source that sends less than it announced': [
    at('source', 'truncate', 'GetObject', { times: 5 }),
  ],
  'a source that breaks off': [at('source', 'cut', 'GetObject', { times: 5 })],
  'stores that ask for fewer requests': [
    at('source', 'slow_down', 'GetObject', { times: 8 }),
    at('target', 'slow_down', 'PutObject', { key: OBJECT, times: 8 }),
  ],
  'stores that answer with errors': [
    at('source', 'internal_error', 'GetObject', { times: 4 }),
    at('target', 'internal_error', 'PutObject', { key: OBJECT, times: 4 }),
    at('target', 'internal_error', 'ListObjectsV2', { times: 2 }),
    at('source', 'internal_error', 'ListObjectsV2', { times: 2, skip: 2 }),
  ],
  'a target that resets connections': [at('target', 'cut', 'PutObject', { key: OBJECT, times: 6 })],
  'a target whose answers get lost after it has written': [
    at('target', 'cut', 'PutObject', { key: OBJECT, at: 'response', times: 6 }),
  ],
  'a target that hangs': [at('target', 'hang', 'PutObject', { key: OBJECT, times: 1 })],
};

const CHANGING = 'o/changing';
const CASES: Readonly<Record<string, Case>> = {
  ...Object.fromEntries(
    Object.entries(TRANSIENT).map(([what, faults]): [string, Case] => [
      `gets over ${what}`,
      { objects: mixed(24), faults, end: 'completed' },
    ]),
  ),
  'gets over stores that fail for a part, and an answer to the completion that gets lost': {
    objects: [{ key: 'parts', size: 64 * MIB + 1 }],
    faults: [
      at('source', 'slow_down', 'GetObject', { times: 2, skip: 1 }),
      at('source', 'cut', 'GetObject', { times: 1, skip: 3 }),
      at('target', 'slow_down', 'UploadPart', { key: PARTS, times: 2, skip: 1 }),
      at('target', 'cut', 'UploadPart', { key: PARTS, times: 1, skip: 3 }),
      at('target', 'cut', 'CompleteMultipartUpload', { key: PARTS, at: 'response', times: 2 }),
    ],
    end: 'completed',
  },
  'copies an object that changes while it is read as it is then': {
    objects: [...mixed(4), { key: CHANGING, size: 300_000, seed: 'before' }],
    faults: [slowSource(1_500)],
    async during({ customer, migrationId }) {
      const { client, double, source: bucket } = customer;
      const isCopying = async () => (await client.migrations.get(migrationId)).status === 'copying';
      await eventually('it is copying', isCopying);
      double.seed({ bucket, objects: [{ key: CHANGING, size: 400_000, seed: 'after' }] });
    },
    end: 'completed',
    async assertEnd(_migration, { customer, migrationId }) {
      const line = (await customer.report(migrationId)).find(({ key }) => key === CHANGING);
      assert.equal(line?.bytes, 400_000);
    },
  },
  'names objects that cannot be read or written, and copies the others': {
    objects: mixed(24),
    faults: [
      at('source', 'access_denied', 'GetObject', { key: 'o/0002' }),
      at('target', 'internal_error', 'PutObject', { key: '*/o/0007' }),
    ],
    end: 'completed_with_failures',
    assertEnd: ({ failures }) =>
      assert.deepEqual(
        failures.map(({ key, code }) => [key, code]),
        [
          ['o/0002', 'source_refused'],
          ['o/0007', 'target_unavailable'],
        ],
      ),
  },
  'stops where more than fifty objects fail': {
    objects: mixed(200),
    faults: [at('source', 'access_denied', 'GetObject', { key: 'o/01*' })],
    end: 'failed',
    error: 'too_many_failures',
    assertEnd: ({ progress: { objectsFailed } }) =>
      assert.ok(objectsFailed > 50 && objectsFailed < 120, `${objectsFailed}`),
  },
  'is cancelling when it is cancelled, and cancelled when all objects in flight are there': {
    ...UNEVEN,
    async during(move) {
      await untilCopied(move, 100);
      const { migrations } = move.customer.client;
      const answered = await migrations.cancel(move.migrationId);
      assert.deepEqual([answered.status, answered.completedAt], ['cancelling', null]);
      const statuses = new Set<string>();
      await migrations.waitFor(move.migrationId, {
        pollMs: 50,
        onProgress: ({ status }) => void statuses.add(status),
      });
      assert.deepEqual([...statuses.add('cancelling')].sort(), ['cancelled', 'cancelling']);
    },
    end: 'cancelled',
    atEnd: assertFinal,
    async assertEnd(ended, { customer, migrationId }) {
      assert.deepEqual(await customer.client.migrations.cancel(migrationId), ended);
    },
  },
  'stops when the source’s credentials are revoked midway and all slices have ended, and names the side':
    {
      ...revokedAt('source', 100),
      ...UNEVEN,
      atEnd: assertFinal,
      assertEnd: assertNamed('AWS S3'),
    },
  'stops when the target’s credentials are revoked midway, and names the side': {
    ...revokedAt('target'),
    assertEnd: assertNamed('Backblaze B2'),
  },
  'continues with credentials that are replaced midway': {
    ...revokedAt('source'),
    async during(move) {
      await untilCopied(move);
      const { customer } = move;
      const fresh = { accessKeyId: 'AKIAFRESHFRESHFRESH1', secretAccessKey: randomUUID() };
      customer.double.putUser({ ...fresh, accountId: customer.awsAccount });
      const bucket = { bucketName: customer.source, region: 'us-east-1' };
      await customer.client.providers.save({ provider: 'aws', ...fresh, ...bucket });
      customer.double.removeUser(customer.keys.source.accessKeyId);
    },
    end: 'completed',
    error: undefined,
  },
  'fails before its first copy where the target does not let it write': {
    objects: mixed(4),
    faults: [at('target', 'access_denied', 'PutObject', { key: '*.storage-routing-canary-*' })],
    end: 'failed',
    error: 'provider_error',
    async assertEnd({ progress }, { customer, migrationId }) {
      assert.equal(progress.percent, null);
      assert.deepEqual(await customer.report(migrationId), []);
    },
  },
  // Each refused object makes its slice try the target with a test object.
  'leaves no test object at a target that is tried by all slices at once': {
    objects: objectsOf(20, () => 200_000),
    faults: [at('target', 'access_denied', 'PutObject', { key: OBJECT })],
    end: 'completed_with_failures',
    assertEnd: ({ progress }) => assert.equal(progress.objectsFailed, 20),
  },
  'aborts an upload of its trial that a killed worker has begun and not noted': {
    objects: objectsOf(20),
    faults: [slowSource(1_000)],
    async during({ customer, migrationId }) {
      const { source, target: Bucket } = customer;
      const Key = `${source}/.storage-routing-canary-${migrationId}-parts`;
      await customer.s3For(Bucket).send(new CreateMultipartUploadCommand({ Bucket, Key }));
    },
    end: 'completed',
  },
  // The copy tries three times, and the end twice without success.
  'leaves no multipart upload, also where the target refuses to abort it at first': {
    objects: [
      { key: 'parts', size: 64 * MIB + 1 },
      { key: 'small', size: 70_000 },
    ],
    faults: [
      at('target', 'access_denied', 'UploadPart', { key: PARTS }),
      at('target', 'access_denied', 'AbortMultipartUpload', { key: PARTS, times: 5 }),
    ],
    end: 'completed_with_failures',
    assertEnd: ({ failures }) =>
      assert.deepEqual(
        failures.map(({ key, code }) => [key, code]),
        [['parts', 'target_refused']],
      ),
  },
};

function revokedAt(side: SideFault['side'], moreThan = 0) {
  return {
    objects: mixed(200),
    faults: [slowSource(150)],
    async during(move: ApprovedMove) {
      await untilCopied(move, moreThan);
      move.customer.double.removeUser(move.customer.keys[side].accessKeyId);
    },
    end: 'failed',
    error: 'provider_error',
  } as const;
}

function assertNamed(store: string) {
  return ({ error, progress }: Migration) => {
    assert.ok(error?.message.startsWith(store), error?.message);
    assert.ok(progress.objectsCopied > 0);
  };
}

/** Everything that a customer can see of a migration. */
async function observe({ customer, migrationId }: ApprovedMove) {
  const [client, Bucket] = [customer.s3For(customer.target), customer.target];
  const listing: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket }))
    for (const { Key, ETag, LastModified } of Contents)
      listing.push(`${Key} ${ETag} ${LastModified?.toISOString()}`);
  return {
    listing,
    leftovers: await customer.leftovers(),
    report: await customer.report(migrationId),
    migration: await customer.client.migrations.get(migrationId),
  };
}

/** Nothing that a customer can see changes for some seconds after the end was answered. */
async function assertFinal(ended: Migration, move: ApprovedMove): Promise<void> {
  const first = await observe(move);
  const isChanged = async () => {
    assert.deepEqual(await observe(move), first);
    return false;
  };
  await isSoon(isChanged, { withinMs: WATCHED_MS, everyMs: 500 });
  assert.deepEqual(first.migration, ended);
  const { objectsCopied, objectsFailed } = ended.progress;
  assert.ok(objectsCopied > 0 && objectsCopied < IN_SLICES);
  assert.equal(first.report.length, objectsCopied + objectsFailed);
}

/** All migrations run side by side; their ends are checked when no fault is left. */
describe('a migration while things go wrong', () => {
  let suite: MigrationSuite;
  const ended = new Map<string, Promise<{ migration: Migration; move: ApprovedMove }>>();

  before(async () => {
    suite = { ...(await localMigrationService()), migrating: [] };
    for (const [title, each] of Object.entries(CASES)) ended.set(title, carryOut(each));
    await Promise.allSettled(ended.values());
    suite.stack.cloud?.double.clearFaults();
  });

  async function carryOut({ during, atEnd, ...options }: Case) {
    const move = await migrationOf(suite, options);
    await during?.(move);
    const migration = await move.customer.migrated(move.migrationId);
    await atEnd?.(migration, move);
    return { move, migration };
  }

  for (const [title, { end, error, assertEnd }] of Object.entries(CASES)) {
    // spec: migration.stored-credentials, state.migration
    it(title, async () => {
      const { migration, move } = await (ended.get(title) ?? assert.fail());
      assert.equal(migration.status, end, JSON.stringify(migration));
      assert.equal(migration.error?.code, error, JSON.stringify(migration));
      await assertEnd?.(migration, move);
      await assertIdentical(move.customer, migration);
    });
  }

  it('leaves every invariant intact', async () => {
    await assertInvariants(suite);
  });
});
