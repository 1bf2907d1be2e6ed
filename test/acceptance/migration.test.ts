import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  type ApprovedMigration,
  createClient,
  type Migration,
  type MigrationSummary,
  type Recommendation,
  type ReportedObject,
  type StorageRoutingClient,
} from '../../sdk/src/index.ts';
import { deleteObject, listKeys, readObject, sha256, writeObject, type Kept } from './store.ts';
import { describedFetch } from './described.ts';
import { PROVIDERS, baseUrl, customerRole, storeAccess, type Provider } from './target.ts';
import { one } from './tenant.ts';
import { bodyOf, call, requireRecent, requireRefusal } from './wire.ts';

const TIMEOUT_MS = 120_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ORDER = ['queued', 'planning', 'copying', 'verifying', 'completed'];
const PREFIX = `acceptance-${crypto.randomUUID()}/`;
const KEPT: Kept = {
  contentType: 'image/jpeg',
  cacheControl: 'max-age=60',
  metadata: { photographer: 'M. Curie' },
};
/** Large enough for a move to pay, small enough for a test. */
const BYTES = 256 * 1024;
const NAMES = ['夏の海 🌊 + 100%.jpg', ...Array.from({ length: 10 }, (_, at) => `${at}/a.jpg`)];
const SOURCES = new Map([
  [`${PREFIX}empty.bin`, Buffer.alloc(0)],
  ...NAMES.map((name) => [`${PREFIX}${name}`, randomBytes(BYTES)] as const),
]);

describe('A migration', function () {
  this.timeout(TIMEOUT_MS);
  let scanner: StorageRoutingClient['scanner'];
  let migrations: StorageRoutingClient['migrations'];
  const bucket = () => storeAccess('aws').bucketName;
  let connectionId: string;
  let move: Recommendation;
  let target: Provider;
  let approved: ApprovedMigration;
  let migration: Migration;
  let objects: ReportedObject[];

  before(async () => {
    ({ scanner, migrations } = createClient({
      baseUrl: baseUrl().href,
      dashboardToken: one.dashboard(),
      fetch: describedFetch,
    }));
    await one.configure('aws', 'r2', 'b2');
    for (const [key, bytes] of SOURCES) await writeObject('aws', key, bytes, KEPT);
    const regions = [storeAccess('aws').region];
    ({ connectionId } = await scanner.connect({ ...customerRole(), regions }));
    const { scanId } = await scanner.start(connectionId);
    const { recommendations } = await scanner.waitFor(scanId, { pollMs: 100 });
    const ours = recommendations.filter((found) => found.bucket === bucket());
    move = ours.find(isMoveOfOurs) ?? assert.fail('no move is recommended');
    target =
      PROVIDERS.find((name) => name === move.recommendedProvider) ??
      assert.fail('a move has a target');
  });

  after(async () => {
    await scanner.disconnect(connectionId);
    for (const key of SOURCES.keys()) await deleteObject('aws', key);
    for (const { targetKey } of objects ?? []) await deleteObject(target, targetKey);
  });

  const approvePath = (id: string) => `/v1/scanner/recommendations/${id}/approve`;
  const approve = (id: string, targetProvider: Provider) =>
    call('POST', approvePath(id), { token: one.dashboard(), json: { targetProvider } });
  const otherTarget = () => (target === 'b2' ? 'r2' : 'b2');

  // spec: migration.explicit-approval, migration.never-by-itself, scanner-sequence.approve
  it('does not begin without an approval, which is refused where there is no such move or no other store', async () => {
    const keys = await listKeys(target);
    assert.ok(keys.every((key) => !key.includes(PREFIX)));
    assert.deepEqual([move.status, move.migrationId], ['open', null]);
    const unknown = await approve(crypto.randomUUID(), target);
    requireRefusal(unknown, 404, 'recommendation_not_found');
    const home = await approve(move.recommendationId, 'aws');
    requireRefusal(home, 400, 'invalid_request');
  });

  // spec: endpoint.recommendation-approve, migration.explicit-approval, migration.id
  // spec: recommendation.target-provider
  it('is approved with 202, and by five at once as by one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => approve(move.recommendationId, target)),
    );
    const bodies = answers.map((answer) => bodyOf(answer, 202) as ApprovedMigration);
    approved = bodies[0] ?? assert.fail();
    for (const body of bodies) assert.deepEqual(body, approved);
    assert.match(approved.migrationId, UUID);
    assert.equal(approved.recommendationId, move.recommendationId);
    assert.equal(approved.targetProvider, target);
    assert.equal(approved.status, 'queued');
    requireRecent(approved.approvedAt);
    const option = move.options.find(({ provider }) => provider === target);
    assert.deepEqual(approved.quote, option?.quote);
  });

  // spec: endpoint.migration, events.polling, migration.queried, scanner-sequence.status
  // spec: state.migration
  it('is watched to its end, never goes back, and copies what was recommended', async () => {
    const seen: string[] = [];
    migration = await migrations.waitFor(approved.migrationId, {
      pollMs: 50,
      onProgress: ({ status }) => {
        if (seen.at(-1) !== status) seen.push(status);
      },
    });
    const inOrder = ORDER.filter((status) => seen.includes(status));
    assert.deepEqual(seen, inOrder);
    const { status, error, failures, source, progress } = migration;
    assert.deepEqual([status, error, failures], ['completed', null, []]);
    const { region } = storeAccess('aws');
    const from = { provider: 'aws', bucket: bucket(), region };
    assert.deepEqual(source, { ...from, selector: move.selector });
    const { bucketName } = storeAccess(target);
    const place = { provider: target, bucketName, keyPrefix: `${bucket()}/` };
    assert.deepEqual(migration.target, place);
    assert.deepEqual(migration.quote, approved.quote);
    assert.equal(progress.objectsTotal, move.objects);
    assert.equal(progress.objectsCopied + progress.objectsSkipped, move.objects);
    assert.equal(progress.bytesTotal, move.bytes);
    assert.equal(progress.percent, 100);
    assert.equal(migration.realised, null);
    for (const time of [migration.startedAt, migration.updatedAt, migration.completedAt])
      requireRecent(time);
  });

  it('is in the list as it ended', async () => {
    const { items, total } = await migrations.list();
    const [newest] = items;
    const { quote, ...approval } = approved;
    const { objectsTotal, bytesTotal } = migration.progress;
    assert.deepEqual(newest, {
      ...approval,
      bucket: bucket(),
      prefix: move.selector.prefix,
      status: 'completed',
      objectsTotal,
      bytesTotal,
      percent: 100,
      quoteTotalUsd: quote.totalUsd,
      monthlySavingsUsd: move.options.find(({ provider }) => provider === target)
        ?.monthlySavingsUsd,
      completedAt: migration.completedAt,
      realised: null,
    });
    assert.equal(items.length, Math.min(total, 10));
    const listed = await scanner.recommendations({ status: 'approved', connectionId, limit: 50 });
    const ours = listed.items.find((each) => each.recommendationId === move.recommendationId);
    assert.deepEqual([ours?.status, ours?.migrationId], ['approved', approved.migrationId]);
  });

  it('reports every object, and a summary that equals its status', async () => {
    const path = `/v1/scanner/migration/${approved.migrationId}/report`;
    const answer = await call('GET', path, { token: one.dashboard() });
    assert.match(String(answer.headers['content-type']), /^application\/x-ndjson/);
    assert.ok(answer.text.endsWith('}\n') && !answer.text.includes('\r'));
    objects = [];
    let sum: MigrationSummary | undefined;
    for await (const line of migrations.report(approved.migrationId)) {
      assert.equal(sum, undefined, 'the sum comes last');
      if ('key' in line) objects.push(line);
      else sum = line;
    }
    const { migrationId, status, notCarried, startedAt, completedAt, progress } = migration;
    const { percent: _p, bytesPerSecond: _b, etaSeconds: _e, ...counts } = progress;
    const told = { migrationId, status, notCarried, startedAt, completedAt, ...counts };
    assert.deepEqual(sum, { ...told, acls: sum?.acls });
    const keys = objects.map(({ key }) => key);
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(keys.length, counts.objectsTotal);
    for (const key of SOURCES.keys()) assert.ok(keys.includes(key), key);
  });

  // spec: scanner-sequence.copies
  it('leaves the same bytes at the target, and the source as it was', async () => {
    for (const [key, bytes] of SOURCES) {
      const line = objects.find((object) => object.key === key) ?? assert.fail(key);
      assert.equal(line.targetKey, `${bucket()}/${key}`);
      assert.deepEqual([line.outcome, line.bytes], ['copied', bytes.length]);
      assert.equal(line.sha256, sha256(bytes));
      const copy = await readObject(target, line.targetKey);
      assert.equal(sha256(copy.bytes), line.sha256);
      assert.equal(copy.contentType, KEPT.contentType);
      assert.equal(copy.cacheControl, KEPT.cacheControl);
      assert.equal(copy.metadata?.['photographer'], 'M. Curie');
      assert.equal(copy.metadata?.['src-etag'], line.sourceEtag);
      assert.equal(copy.metadata?.['migration-id'], approved.migrationId);
      const { bytes: there, ...kept } = await readObject('aws', key);
      assert.equal(sha256(there), line.sha256);
      assert.deepEqual(kept, KEPT);
    }
  });

  // spec: endpoint.recommendation-approve
  it('is unchanged by an approval or a cancel after its end; another approval is refused', async () => {
    assert.deepEqual(bodyOf(await approve(move.recommendationId, target), 202), approved);
    const changed = await approve(move.recommendationId, otherTarget());
    requireRefusal(changed, 409, 'recommendation_not_open');
    const path = `/v1/scanner/migration/${approved.migrationId}`;
    const token = one.dashboard();
    const cancelled = await call('POST', `${path}/cancel`, { token, json: {} });
    assert.deepEqual(bodyOf(cancelled, 202), migration);
    assert.deepEqual(bodyOf(await call('GET', path, { token }), 200), migration);
  });
});

/** The whole bucket, or the prefix of this test. */
function isMoveOfOurs({ kind, selector }: Recommendation): boolean {
  return kind === 'move' && (selector.prefix === null || selector.prefix === PREFIX);
}
