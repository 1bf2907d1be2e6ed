import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
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

/** Each of these passes, and then everything is there. */
const TRANSIENT: Readonly<Record<string, readonly SideFault[]>> = {
  'a source that sends less than it announced': [
    at('source', 'truncate', 'GetObject', { times: 5 }),
  ],
  'a source that breaks off': [at('source', 'cut', 'GetObject', { times: 5 })],
  'stores that ask for fewer requests': [
    at('source', 'slow_down', 'GetObject', { times: 8 }),
    at('target', 'slow_down', 'PutObject', { times: 8 }),
  ],
  'stores that answer with errors': [
    at('source', 'internal_error', 'GetObject', { times: 4 }),
    at('target', 'internal_error', 'PutObject', { times: 4 }),
    at('target', 'internal_error', 'ListObjectsV2', { times: 2 }),
    at('source', 'internal_error', 'ListObjectsV2', { times: 2, skip: 2 }),
  ],
  'a target that resets connections': [at('target', 'cut', 'PutObject', { times: 6 })],
  'a target whose answers get lost after it has written': [
    at('target', 'cut', 'PutObject', { at: 'response', times: 6 }),
  ],
  'a target that hangs': [at('target', 'hang', 'PutObject', { times: 1 })],
};

const CHANGING = 'o/changing';
const CASES: Readonly<Record<string, Case>> = {
  ...Object.fromEntries(
    Object.entries(TRANSIENT).map(([what, faults]): [string, Case] => [
      `gets over ${what}`,
      { objects: mixed(24), faults, end: 'completed' },
    ]),
  ),
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
  'stops when the source’s credentials are revoked midway, and names the side': {
    ...revokedAt('source'),
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
    faults: [at('target', 'access_denied', 'PutObject')],
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
    faults: [at('target', 'access_denied', 'PutObject', { key: '*/o/*' })],
    end: 'completed_with_failures',
    assertEnd: ({ progress }) => assert.equal(progress.objectsFailed, 20),
  },
  // The copy tries three times, and the end twice without success.
  'leaves no multipart upload, also where the target refuses to abort it at first': {
    objects: [
      { key: 'parts', size: 64 * MIB + 1 },
      { key: 'small', size: 70_000 },
    ],
    faults: [
      at('target', 'access_denied', 'UploadPart'),
      at('target', 'access_denied', 'AbortMultipartUpload', { times: 5 }),
    ],
    end: 'completed_with_failures',
    assertEnd: ({ failures }) =>
      assert.deepEqual(
        failures.map(({ key, code }) => [key, code]),
        [['parts', 'target_refused']],
      ),
  },
};

function revokedAt(side: SideFault['side']) {
  return {
    objects: mixed(200),
    faults: [slowSource(150)],
    async during(move: ApprovedMove) {
      await untilCopied(move);
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

  async function carryOut({ during, ...options }: Case) {
    const move = await migrationOf(suite, options);
    await during?.(move);
    return { move, migration: await move.customer.migrated(move.migrationId) };
  }

  for (const [title, { end, error, assertEnd }] of Object.entries(CASES)) {
    // spec: migration.stored-credentials
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
