import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { openPageWriter, type PageWriter } from '../../../activities/migrations/page-writer.ts';
import type { PlacedLine } from '../../../adapters/mongo/migrations/object-ledger.ts';
import type { Records } from '../../../adapters/mongo/records.ts';
import { openStored } from '../../harness/stored-approval.ts';
import { testDatabase } from '../adapters/database.ts';

const now = () => new Date();

const lineOf = (place: number): PlacedLine => ({
  place,
  key: `k${place}`,
  targetKey: `source/k${place}`,
  bytes: 10,
  sourceEtag: 'e',
  sha256: '0'.repeat(64),
  targetEtag: 'e',
  outcome: 'copied',
  attempts: 1,
  at: now().toISOString(),
  notCarried: [],
});

describe('a worker that was taken for dead, after the end of its migration', () => {
  const database = testDatabase();
  let records: Records;
  let migrationId: string;
  before(async () => {
    ({ records } = database);
  });
  beforeEach(async () => {
    migrationId = randomUUID();
    await openStored(records, { migrationId, accountId: 'a' });
  });

  const openWriter = (page: number): Promise<PageWriter> =>
    openPageWriter({ ...records, id: migrationId, page, now });
  async function begin(page: number): Promise<PageWriter> {
    await records.manifests.begin(migrationId, page, now());
    return await openWriter(page);
  }
  async function end(): Promise<void> {
    await records.migrations.close({ migrationId, round: 1 }, { isCancelled: true, error: null });
    await records.manifests.close(migrationId, now(), () => undefined);
  }
  const copied = async () => (await records.manifests.counts(migrationId)).copied;

  it('cannot append to the ledger, and changes no count', async () => {
    const [first, second] = [await begin(0), await begin(1)];
    first.note(lineOf(0));
    await first.flush();
    second.note(lineOf(0));
    await end();
    assert.equal(await copied(), 1);
    first.note(lineOf(1));
    await assert.rejects(first.flush(), { name: 'OvertakenError' });
    await assert.rejects(second.flush(), { name: 'OvertakenError' });
    assert.throws(() => first.note(lineOf(2)), { name: 'OvertakenError' });
    await assert.rejects(openWriter(0), { name: 'MigrationStop' });
    assert.equal(await copied(), 1);
    assert.deepEqual([...(await records.ledger.ofPage(migrationId, 0)).lines.keys()], [0]);
    assert.equal((await records.ledger.ofPage(migrationId, 1)).lines.size, 0);
  });

  it('shows no bytes in flight any more, nor once another one has begun its page', async () => {
    const inFlight = async () =>
      (await records.manifests.confirmed([migrationId])).get(migrationId)?.bytesInFlight;
    const confirm = async (writer: PageWriter) => {
      writer.confirm(0, 64);
      await writer.flush();
    };
    await confirm(await begin(0));
    assert.equal(await inFlight(), 64);
    const writer = await begin(0);
    assert.equal(await inFlight(), 0);
    await confirm(writer);
    await end();
    assert.equal(await inFlight(), 0);
    await confirm(writer);
    assert.equal(await inFlight(), 0);
  });

  it('is counted for every line that it has written before', async () => {
    await begin(0);
    const append = (batch: number, lines: PlacedLine[]) =>
      records.ledger.append(migrationId, 0, batch, { lines, named: [] }, now());
    await append(0, [lineOf(0), lineOf(1)]);
    await append(1, [{ ...lineOf(1), outcome: 'failed' }]);
    assert.equal(await copied(), 0);
    // The end may be interrupted and repeated.
    await records.ledger.close(migrationId, 0, 2, now());
    await end();
    await end();
    const { copied: counted, failed } = await records.manifests.counts(migrationId);
    assert.deepEqual([counted, failed], [1, 1]);
  });
});
