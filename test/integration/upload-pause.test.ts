import assert from 'node:assert/strict';
import { describeActivity } from '../../domain/accounts/activity.ts';
import { pauseOf } from '../../domain/providers/pause.ts';
import { givenUpAt, type FileRecord } from '../../domain/uploads/file.ts';
import { freshId } from './adapters/database.ts';
import { opened } from '../harness/opened.ts';
import { createUploadHarness } from '../harness/upload-harness.ts';
import { localServers } from '../servers.ts';

const FILES = 12;
/** Refusals until the store is left alone, with what is under way by then: each file has two attempts at once. */
const MOST_REFUSED = 5 + 2 * FILES;

describe('the files of an account whose store refuses them', () => {
  const harness = opened(async () => {
    const { timeSkippingServer, mongodbUri } = await localServers();
    return await createUploadHarness(await timeSkippingServer(), mongodbUri);
  });
  afterEach(() => {
    harness.bucket.refusal = undefined;
    harness.bucket.silent = false;
    harness.bucket.accepted = undefined;
  });

  /** Files of one account, whose windows have closed at a store that refuses this account. */
  async function refused(code = 'InvalidAccessKeyId') {
    harness.bucket.refusal = code;
    const accountId = freshId('account');
    const files: FileRecord[] = [];
    for (let count = 0; count < FILES; count += 1) files.push(await harness.arrive({ accountId }));
    harness.bucket.calls = 0;
    await harness.pass('26h');
    const [first = assert.fail()] = files;
    return { files, first, accountId };
  }
  const find = async (file: FileRecord) =>
    (await harness.records.files.findFile(file)) ?? assert.fail();
  const statuses = async (files: readonly FileRecord[]) => {
    const found = await Promise.all(files.map(find));
    return [...new Set(found.map(({ status }) => status))];
  };
  const paused = async (file: FileRecord) => pauseOf(await harness.accountOf(file), 'r2');
  /** Sweeps and lets workflows work, a few times. */
  const settle = async () => {
    for (let round = 0; round < 3; round += 1) {
      await harness.sweep();
      await harness.pass('30m');
    }
  };

  it('wait without attempts, workflows and events, but for one file an hour', async () => {
    const { files, first } = await refused();
    assert.equal((await paused(first))?.code, 'InvalidAccessKeyId');
    assert.ok(harness.bucket.calls <= MOST_REFUSED, `${harness.bucket.calls} calls`);
    for (const file of files) {
      assert.equal((await find(file)).held?.work, 'settle');
      assert.equal((await harness.run(file)).isOpen, false);
    }
    const events = await Promise.all(files.map(async (file) => (await harness.run(file)).events));
    harness.bucket.calls = 0;
    for (let hours = 0; hours < 12; hours += 2) {
      await harness.sweep();
      await harness.pass('2h');
    }
    assert.ok(
      harness.bucket.calls >= 1 && harness.bucket.calls <= 12,
      `${harness.bucket.calls} calls`,
    );
    const later = await Promise.all(files.map(async (file) => (await harness.run(file)).events));
    const grown = later.filter((count, at) => count !== events[at]).length;
    assert.ok(grown <= 6, `${grown} histories have grown`);
    assert.deepEqual(await statuses(files), ['pending']);
  });

  it('are tried one after the other, so that one which is refused for itself does not keep the others', async () => {
    const { files } = await refused('AccessDenied');
    const [last = assert.fail()] = files.slice(-1);
    harness.bucket.accepted = last.objectKey;
    for (
      let hours = 0;
      hours < FILES + 2 && (await find(last)).status === 'pending';
      hours += 0.5
    ) {
      await harness.pass('30m');
      await harness.sweep();
    }
    assert.equal((await find(last)).status, 'expired');
    assert.ok(harness.now() < givenUpAt(last), 'its store was asked');
  });

  it('expire a day after their windows closed, as at a silent store', async () => {
    const { files } = await refused('AccessDenied');
    await harness.pass('26h');
    await settle();
    assert.deepEqual(await statuses(files), ['expired']);
    for (const file of files) assert.ok((await find(file)).lookAgainAt, 'it is looked for later');
  });

  it('are all settled once a call has succeeded', async () => {
    const { files, first } = await refused();
    harness.bucket.refusal = undefined;
    for (const file of files) harness.bucket.objects.set(file.objectKey, file.sizeBytes);
    await harness.complete(first);
    assert.equal(await paused(first), null);
    await settle();
    assert.deepEqual(await statuses(files), ['active']);
  });

  it('are all settled once the credentials are saved again', async () => {
    const { files, first } = await refused();
    harness.bucket.refusal = undefined;
    const account = await harness.accountOf(first);
    const at = harness.now();
    const person = { subject: 'p', name: 'P' };
    const actor = { accountId: account.accountId, person, requestId: 'r' };
    const sealed = { keyId: 'k', nonce: '', ciphertext: '', tag: '' };
    const saved = await harness.records.accounts.saveProvider(
      account,
      {
        location: first.location,
        credentials: sealed,
        accessKeyIdMasked: '…',
        createdAt: at,
        updatedAt: at,
      },
      describeActivity(actor, 'provider.saved', 'r2', at),
      [],
    );
    assert.ok(saved);
    await settle();
    assert.deepEqual(await statuses(files), ['expired']);
  });

  it('are not signalled by the sweep while their workflows are at work, so that no history grows by itself', async () => {
    harness.bucket.silent = true;
    const file = await harness.arrive();
    await harness.pass('26h');
    const before = await harness.run(file);
    for (let sweep = 0; sweep < 3; sweep += 1) {
      await harness.sweep();
      await harness.pass('30m');
    }
    assert.deepEqual(await harness.run(file), before);
    assert.equal(before.isOpen, true);
    harness.bucket.silent = false;
    await harness.pass('30m');
    assert.deepEqual(await statuses([file]), ['expired']);
  });

  it('stop their deletes after 7 days, with the refusal as their error', async () => {
    const { files, first } = await refused();
    for (const file of files) await harness.remove(file);
    await settle();
    for (const file of files) assert.equal((await find(file)).held?.work, 'delete');
    await harness.pass('7d');
    await settle();
    assert.deepEqual(await statuses(files), ['deleting']);
    for (const file of files) assert.equal((await find(file)).error?.code, 'provider_error');
    harness.bucket.refusal = undefined;
    assert.ok((await harness.remove(first)).deletedAt, 'a call still tries');
    assert.equal(await paused(first), null);
  });
});
