import { activityOf } from '../../harness/actor.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { getAccountUsage } from '../../../api/account/account.ts';
import { deleteFile, getFile } from '../../../api/uploads/files.ts';
import { createPendingLimit } from '../../../api/uploads/pending-limit.ts';
import { completeUpload } from '../../../api/uploads/completion.ts';
import { initUpload } from '../../../api/uploads/init.ts';
import { createAuthenticate } from '../../../api/http/authentication.ts';
import { createRecords } from '../../../adapters/mongo/records.ts';
import type { AccountStores } from '../../../adapters/object-store/account-stores.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { TEST_CONFIG } from '../../harness/api-config.ts';
import { formatApiKey, storeApiKey } from '../../../domain/account/api-key.ts';
import type { Account } from '../../../domain/account/account.ts';
import { localServers } from '../../servers.ts';

const LOCATION = { provider: 'r2', bucketName: 'b', region: 'auto', accountId: 'a' } as const;
const REQUEST = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 8 };

/** A command to the database, and the round trip in which it was sent. */
interface Sent {
  readonly what: string;
  readonly trip: number;
}

describe('the round trips to the database', () => {
  let client: MongoClient;
  let measure: (work: () => Promise<unknown>) => Promise<Sent[]>;
  let deps: Awaited<ReturnType<typeof openDeps>>;

  before(async () => {
    const { mongodbUri } = await localServers();
    client = new MongoClient(mongodbUri, { monitorCommands: true });
    measure = createMeasure(client);
    deps = await openDeps(client);
    // The month's counter and totals, and the key's last use exist from the second call on.
    const { fileId } = (await initUpload(deps, await deps.authenticate(), REQUEST)).file;
    await completeUpload(deps, await deps.authenticate(), fileId);
    await deps.accounts.touchApiKey(await deps.authenticate(), new Date());
    // A command that waits for a new connection would look like a later round trip.
    await Promise.all(Array.from({ length: 8 }, () => deps.authenticate()));
  });
  after(() => client?.close());

  const begin = async () =>
    (await initUpload(deps, await deps.authenticate(), REQUEST)).file.fileId;

  it('of an init are the account, its booking, its insert, and the account once more', async () => {
    assert.deepEqual(await measure(begin), [
      { what: 'find accounts', trip: 1 },
      { what: 'findAndModify quota', trip: 2 },
      { what: 'insert files', trip: 3 },
      { what: 'find accounts', trip: 4 },
    ]);
  });

  it('of a me are the account, then one more', async () => {
    const sent = await measure(async () => getAccountUsage(deps, await deps.authenticate()));
    assert.deepEqual(sent[0], { what: 'find accounts', trip: 1 });
    assert.deepEqual(new Set(sent.slice(1).map(({ trip }) => trip)), new Set([2]));
  });

  it('of a get are the account and the file', async () => {
    const fileId = await begin();
    const sent = await measure(async () => getFile(deps, await deps.authenticate(), fileId));
    assert.deepEqual(sent, [
      { what: 'find accounts', trip: 1 },
      { what: 'find files', trip: 2 },
    ]);
  });

  it('of a complete are the account, the file and its accounting', async () => {
    const fileId = await begin();
    const sent = await measure(async () => completeUpload(deps, await deps.authenticate(), fileId));
    assert.deepEqual(sent, [
      { what: 'find accounts', trip: 1 },
      { what: 'find files', trip: 2 },
      { what: 'update files', trip: 3 },
      { what: 'update usageTotals', trip: 4 },
      { what: 'insert usage', trip: 4 },
      { what: 'update files', trip: 5 },
    ]);
    const again = await measure(async () =>
      completeUpload(deps, await deps.authenticate(), fileId),
    );
    assert.equal(again.length, 2);
  });

  it('of a delete are the account, the file and its accounting', async () => {
    const fileId = await begin();
    const sent = await measure(async () => deleteFile(deps, await deps.authenticate(), fileId));
    assert.deepEqual(sent, [
      { what: 'find accounts', trip: 1 },
      { what: 'find files', trip: 2 },
      { what: 'update files', trip: 3 },
      { what: 'update usageTotals', trip: 4 },
      { what: 'update files', trip: 5 },
    ]);
  });
});

/** Records the driver's commands; one that starts after another has ended is in a later round trip. */
function createMeasure(client: MongoClient) {
  let sent: Sent[] = [];
  let ended = 0;
  const tripOf = new Map<number, number>();
  client.on('commandStarted', ({ commandName, command, requestId }) => {
    const collection = String(command[commandName]);
    const trip = ended + 1;
    tripOf.set(requestId, trip);
    sent.push({ what: `${commandName} ${collection}`, trip });
  });
  client.on('commandSucceeded', ({ requestId }) => {
    ended = Math.max(ended, tripOf.get(requestId) ?? 0);
  });
  return async (work: () => Promise<unknown>): Promise<Sent[]> => {
    sent = [];
    ended = 0;
    await work();
    return sent;
  };
}

/** What the calls need: a real database, and a store and workflows in memory. */
async function openDeps(client: MongoClient) {
  const now = () => new Date();
  const db = client.db(`trips_${randomUUID().slice(0, 8)}`);
  const records = createRecords(db);
  const accountId = randomUUID();
  await records.accounts.findOrCreate(accountId, 'enterprise', now());
  const apiKey = formatApiKey('test', randomUUID());
  await records.accounts.setApiKey(
    accountId,
    storeApiKey(apiKey, now()),
    activityOf(accountId, 'key.issued'),
  );
  const account = await records.accounts.find(accountId);
  assert.ok(account);
  const sealed = { keyId: 'k1', nonce: '', ciphertext: '', tag: '' };
  const times = { createdAt: now(), updatedAt: now() };
  const provider = { location: LOCATION, credentials: sealed, accessKeyIdMasked: '…', ...times };
  await records.accounts.saveProvider(account, provider, activityOf(accountId, 'provider.saved'));
  const authenticate = createAuthenticate({
    ...TEST_CONFIG,
    ...records,
    verifyToken: () => Promise.reject(new Error('not expected')),
    takeSlot: () => Promise.resolve(true),
    takeFailure: () => Promise.resolve(true),
    now,
    onBackgroundError: (error) => assert.fail(String(error)),
  });
  const onBackgroundError = (error: unknown) => assert.fail(String(error));
  return {
    ...TEST_CONFIG,
    ...records,
    requirePendingRoom: createPendingLimit({ ...TEST_CONFIG, ...records, onBackgroundError }, () =>
      performance.now(),
    ),
    stores: storesInMemory(),
    uploads: { start: () => Promise.resolve(), wake: () => Promise.resolve() },
    now,
    onBackgroundError,
    authenticate: async (): Promise<Account> => {
      const claim = { authorization: `Bearer ${apiKey}`, address: '127.0.0.1' };
      return (await authenticate('apiKey', claim)).account;
    },
  };
}

function storesInMemory(): AccountStores {
  const store = {
    presignUpload: () => Promise.resolve('url'),
    presignDownload: () => Promise.resolve('url'),
    head: () => Promise.resolve({ sizeBytes: REQUEST.fileSizeBytes }),
    delete: () => Promise.resolve(),
  } as unknown as ObjectStore;
  const at = () => store;
  return { at, of: at };
}
