import { activityOf } from '../../harness/actor.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { getAccountUsage } from '../../../operations/accounts/accounts.ts';
import { deleteFile, getFile } from '../../../operations/uploads/files.ts';
import { createPendingLimit } from '../../../operations/uploads/pending-limit.ts';
import { completeUpload } from '../../../operations/uploads/completion.ts';
import { initUpload } from '../../../operations/uploads/init.ts';
import { createAuthenticate } from '../../../api/http/authentication.ts';
import { createRecords } from '../../../adapters/mongo/records.ts';
import type { AccountStores } from '../../../adapters/object-store/account-stores.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { TEST_CONFIG } from '../../harness/api-config.ts';
import { formatApiKey, storeApiKey } from '../../../domain/accounts/api-key.ts';
import type { Account } from '../../../domain/accounts/account.ts';
import { localServers } from '../../servers.ts';
import { catalogue, fakeAccountStores } from '../../harness/catalogue.ts';

const LOCATION = { provider: 'r2', bucketName: 'b', region: 'auto', accountId: 'a' } as const;
const REQUEST = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 8 };

describe('the round trips to the database', () => {
  let client: MongoClient;
  let measure: (work: () => Promise<unknown>) => Promise<string[]>;
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

  type Call = (account: Account, fileId: string) => Promise<unknown>;
  /** By call: the commands of each round trip, those at once in one line. */
  const TRIPS: readonly [what: string, call: Call, trips: readonly string[]][] = [
    ['get', (account, fileId) => getFile(deps, account, fileId), ['find accounts', 'find files']],
    [
      'complete',
      (account, fileId) => completeUpload(deps, account, fileId),
      [
        'find accounts',
        'find files',
        'findAndModify files',
        'update usageTotals, insert usage',
      ].concat('findAndModify files'),
    ],
    [
      'delete',
      (account, fileId) => deleteFile(deps, account, fileId),
      [
        'find accounts',
        'find files',
        'findAndModify files',
        'update usageTotals',
        'findAndModify files',
      ],
    ],
    [
      'init',
      (account) => initUpload(deps, account, REQUEST),
      ['find accounts', 'findAndModify quota', 'insert files'],
    ],
    [
      'me',
      (account) => getAccountUsage(deps, account),
      ['find accounts', 'find quota, find usageTotals'],
    ],
  ];
  for (const [what, call, trips] of TRIPS)
    it(`of ${what} are the account and what it needs, ${trips.length} of them`, async () => {
      const fileId = await begin();
      const work = async () => call(await deps.authenticate(), fileId);
      assert.deepEqual(await measure(work), trips);
      if (what === 'complete') assert.equal((await measure(work)).length, 2, 'a second one');
    });
});

/** Records the driver's commands; one that starts after another has ended is in a later round trip. */
function createMeasure(client: MongoClient) {
  let trips: string[][] = [];
  let ended = 0;
  const tripOf = new Map<number, number>();
  client.on('commandStarted', ({ commandName, command, requestId }) => {
    tripOf.set(requestId, ended + 1);
    (trips[ended] ??= []).push(`${commandName} ${command[commandName]}`);
  });
  client.on('commandSucceeded', ({ requestId }) => {
    ended = Math.max(ended, tripOf.get(requestId) ?? 0);
  });
  return async (work: () => Promise<unknown>): Promise<string[]> => {
    [trips, ended] = [[], 0];
    await work();
    return trips.map((commands) => commands.join(', '));
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
  const issued = activityOf(accountId, 'key.issued');
  await records.accounts.setApiKey(accountId, storeApiKey(apiKey, now()), issued);
  const account = await records.accounts.findAccount(accountId);
  assert.ok(account);
  const sealed = { keyId: 'k1', nonce: '', ciphertext: '', tag: '' };
  const times = { createdAt: now(), updatedAt: now() };
  const provider = { location: LOCATION, credentials: sealed, accessKeyIdMasked: '…', ...times };
  await records.accounts.saveProvider(
    account,
    provider,
    activityOf(accountId, 'provider.saved'),
    [],
  );
  const onBackgroundError = (error: unknown) => assert.fail(String(error));
  const common = { ...TEST_CONFIG, ...records, now, onBackgroundError };
  const authenticate = createAuthenticate({
    ...common,
    verifyToken: () => Promise.reject(new Error('not expected')),
    takeSlot: () => Promise.resolve(true),
    takeFailure: () => Promise.resolve(true),
  });
  return {
    ...common,
    requirePendingRoom: createPendingLimit(common, () => performance.now()),
    catalogue,
    stores: storesInMemory(),
    uploads: { wake: () => Promise.resolve() } as never,
    uploadStarts: {
      reserve: () => Promise.resolve({ begin: () => {}, cancel: () => {} }),
    } as never,
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
  return fakeAccountStores({ at, of: at });
}
