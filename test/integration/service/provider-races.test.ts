import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { removeProvider, saveProvider } from '../../../api/providers/providers.ts';
import { initUpload } from '../../../api/uploads/init.ts';
import type { Files } from '../../../adapters/mongo/files.ts';
import type { AccountStores } from '../../../adapters/object-store/account-stores.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { createVault } from '../../../adapters/vault/vault.ts';
import { TEST_CONFIG, TEST_KEY } from '../../harness/api-config.ts';
import type { Account } from '../../../domain/account/account.ts';
import type { FileRecord } from '../../../domain/upload/file.ts';
import { toMonth } from '../../../domain/common/time.ts';
import { openTestDatabase, type TestDatabase } from '../adapters/database.ts';

const REQUEST = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 8 };
const SETTINGS = {
  provider: 'r2',
  bucketName: 'photos',
  region: 'auto',
  accountId: '0a1b',
  accessKeyId: 'AKIA0000',
  secretAccessKey: 'secret',
} as const;
const ELSEWHERE = { ...SETTINGS, bucketName: 'films' };

describe('an init and a change of its provider at once', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase();
  });
  after(() => database.close());

  /** An account with one store; `onStart` runs between an init's read of the account and its insert. */
  async function open() {
    const { records } = database;
    const vault = createVault([TEST_KEY]);
    const now = () => new Date();
    let meanwhile: (() => Promise<unknown>) | undefined;
    const runOnce = async () => {
      const work = meanwhile;
      meanwhile = undefined;
      await work?.();
    };
    const deps = {
      ...TEST_CONFIG,
      ...records,
      vault,
      now,
      stores: storesWith(vault),
      uploads: { start: runOnce, wake: () => Promise.resolve() },
      onBackgroundError: (error: unknown) => assert.fail(String(error)),
      requirePendingRoom: () => Promise.resolve(),
    };
    const accountId = `account-${randomUUID()}`;
    const created = await records.accounts.findOrCreate(accountId, 'enterprise', now());
    await saveProvider(deps, created, SETTINGS);
    const read = async () => (await records.accounts.find(accountId)) as Account;
    const booked = async () =>
      (await records.quota.read({ accountId, month: toMonth(now()) })).uploads;
    const atInsert = (work: () => Promise<unknown>) => {
      meanwhile = work;
    };
    return { deps, accountId, read, booked, atInsert };
  }

  it('routes the file again where the provider has another bucket by then', async () => {
    const { deps, accountId, read, booked, atInsert } = await open();
    const account = await read();
    atInsert(async () => saveProvider(deps, account, ELSEWHERE));
    const { file } = await initUpload(deps, account, REQUEST);
    assert.equal(file.location.bucketName, 'films');
    const files = await deps.files.list(accountId, { offset: 0, limit: 10 });
    assert.deepEqual(
      files.map(({ fileId }) => fileId),
      [file.fileId],
    );
    assert.equal(await booked(), 1);
  });

  it('is refused where the provider is removed by then, and books nothing', async () => {
    const { deps, read, booked, atInsert } = await open();
    const account = await read();
    atInsert(async () => removeProvider(deps, account, 'r2'));
    await assert.rejects(initUpload(deps, account, REQUEST), { code: 'no_providers_configured' });
    assert.equal(await booked(), 0);
  });

  it('signs the URL with the credentials that are stored by then', async () => {
    const { deps, read, atInsert } = await open();
    const account = await read();
    atInsert(async () => saveProvider(deps, account, { ...SETTINGS, accessKeyId: 'AKIA1111' }));
    assert.equal((await initUpload(deps, account, REQUEST)).presignedUrl, 'AKIA1111');
  });

  const changes: Record<string, (deps: Deps, account: Account) => Promise<unknown>> = {
    moved: (deps, account) => saveProvider(deps, account, ELSEWHERE),
    removed: (deps, account) => removeProvider(deps, account, 'r2'),
  };
  for (const [what, change] of Object.entries(changes)) {
    for (const look of [1, 2]) {
      it(`keeps the provider from being ${what} where the file comes after look ${look}`, async () => {
        const { deps, read } = await open();
        let looks = 0;
        let created: FileRecord | undefined;
        const files: Files = {
          ...deps.files,
          async isProviderInUse(...use) {
            const isInUse = await deps.files.isProviderInUse(...use);
            looks += 1;
            if (looks === look) created = (await initUpload(deps, await read(), REQUEST)).file;
            return isInUse;
          },
        };
        await assert.rejects(change({ ...deps, files }, await read()), { code: 'provider_in_use' });
        const account = await read();
        assert.deepEqual(account.providers.r2?.location, created?.location);
        // It can be changed once the file is settled.
        await deps.files.change(created?.fileId ?? '', ['pending'], { set: { status: 'active' } });
        await change(deps, account);
        assert.notDeepEqual((await read()).providers.r2?.location, created?.location);
      });
    }
  }

  it('books nothing where the credentials cannot be opened', async () => {
    const { deps, read, booked } = await open();
    const stores = storesWith(createVault([{ keyId: 'k2', key: Buffer.alloc(32, 2) }]));
    await assert.rejects(initUpload({ ...deps, stores }, await read(), REQUEST), /unknown key/);
    assert.equal(await booked(), 0);
  });
});

type Deps = Parameters<typeof saveProvider>[0];

/** Stores in memory that open the vault; a presigned URL is the id of the access key. */
function storesWith(vault: ReturnType<typeof createVault>): AccountStores {
  const at: AccountStores['at'] = (account, { provider }) => {
    const stored = account.providers[provider];
    assert.ok(stored);
    const owner = { accountId: account.accountId, provider };
    const { accessKeyId } = vault.open(stored.credentials, owner);
    return { presignUpload: () => Promise.resolve(accessKeyId) } as unknown as ObjectStore;
  };
  return { at, of: () => assert.fail('not expected') };
}
