import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { CheckedKeys, Releases } from '../../../adapters/mongo/migrations/releases.ts';
import { activityOf } from '../../harness/actor.ts';
import { testDatabase } from './database.ts';

const ACCOUNT = 'account';

/** A page with one proven object, and one that differs. */
function pageOf(key: string, after: string | null = null, isLast = false): CheckedKeys {
  const object = { key, etag: `etag of ${key}`, bytes: 1, sha256: null };
  const differences = [{ key: `${key}!`, code: 'target_missing' as const }];
  return { after, last: `${key}!`, isLast, objects: [object], differences };
}

describe('the pages of a release check', () => {
  const database = testDatabase();

  async function begin(releases: Releases, migrationId: string): Promise<string> {
    const now = new Date();
    const asked = { releaseId: randomUUID(), migrationId, accountId: ACCOUNT, round: 1 };
    const by = { startedBy: 'owner', startedByName: 'Olga Owner', requestedAt: now };
    const activity = activityOf(ACCOUNT, 'release.checked', migrationId);
    return (await releases.begin({ ...asked, ...by }, activity)).releaseId;
  }
  const end = (releases: Releases, releaseId: string) =>
    releases.end(releaseId, { status: 'ready', versioned: false, error: null }, new Date());

  it('stay as they were stored first, whatever a worker that was presumed dead has found', async () => {
    const { releases } = database.records;
    const releaseId = await begin(releases, randomUUID());
    const now = new Date();
    await releases.addPage(releaseId, 0, pageOf('a'), now);
    const late = await releases.addPage(releaseId, 0, pageOf('b'), now);
    assert.equal(late.objects[0]?.key, 'a');
    assert.deepEqual(await releases.firstDifferences(releaseId, 10), pageOf('a').differences);
  });

  it('end their download although a new check begins, and are deleted after two more', async () => {
    const { releases } = database.records;
    const migrationId = randomUUID();
    const first = await begin(releases, migrationId);
    for (const [page, key] of ['a', 'b', 'c'].entries())
      await releases.addPage(first, page, pageOf(key), new Date());
    await end(releases, first);
    const download = releases.objects(first, null)[Symbol.asyncIterator]();
    assert.equal((await download.next()).value?.[0]?.key, 'a');
    await end(releases, await begin(releases, migrationId));
    const rest = [(await download.next()).value?.[0]?.key, (await download.next()).value?.[0]?.key];
    assert.deepEqual(rest, ['b', 'c']);
    for (let more = 0; more < 2; more += 1) await end(releases, await begin(releases, migrationId));
    const left = await releases.objects(first, null)[Symbol.asyncIterator]().next();
    assert.equal(left.done, true);
  });

  it('say what is lost at the target between two keys', async () => {
    const { releases } = database.records;
    const releaseId = await begin(releases, randomUUID());
    const keys = ['a', 'c', 'e'];
    for (const [page, key] of keys.entries())
      await releases.addPage(releaseId, page, pageOf(key, keys[page - 1] ?? null), new Date());
    const lost = await releases.lostAtTarget(releaseId, 'b', 'd');
    assert.ok(lost.some(({ key }) => key === 'c!') && !lost.some(({ key }) => key === 'a!'));
  });
});
