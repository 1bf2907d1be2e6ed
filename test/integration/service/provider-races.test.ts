import { actorOf } from '../../harness/actor.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { approveMigration } from '../../../api/migrations/approval.ts';
import {
  removeProvider,
  saveProvider,
  type ProviderSettings,
} from '../../../api/providers/providers.ts';
import { initUpload } from '../../../api/uploads/init.ts';
import type { AccountStores } from '../../../adapters/object-store/account-stores.ts';
import type { MigrationCommands } from '../../../adapters/temporal/migration-commands.ts';
import { createVault } from '../../../adapters/vault/vault.ts';
import { TEST_CONFIG, TEST_KEY } from '../../harness/api-config.ts';
import { NO_COUNTS } from '../../../domain/migration/counts.ts';
import type { Account } from '../../../domain/account/account.ts';
import type { StoreLocation } from '../../../domain/provider/catalogue.ts';
import { toMonth } from '../../../domain/common/time.ts';
import { openStored } from '../../harness/stored-approval.ts';
import { insertMove } from '../../harness/stored-recommendation.ts';
import { testDatabase } from '../adapters/database.ts';
import { catalogue, fakeAccountStores } from '../../harness/catalogue.ts';
import { bucketInMemory } from '../../harness/unused-store.ts';

const FILE = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 8 };
const KEYS = { accessKeyId: 'AKIA0000', secretAccessKey: 'secret' };
const SOURCE = { provider: 'aws', bucketName: 'photos', region: 'us-east-1', ...KEYS } as const;
const TARGET = { provider: 'b2', bucketName: 'copies', region: 'us-west-002', ...KEYS } as const;
const ELSEWHERE = { ...TARGET, bucketName: 'others' };
const OWNER = actorOf('owner');
const FRESH_KEY = { ...TARGET, accessKeyId: 'AKIA1111' };

describe('a change of a provider at once with', () => {
  const database = testDatabase();

  /** An account with these stores; its owner, and what he may do with them. */
  async function open(...stores: ProviderSettings[]) {
    const { records } = database;
    const [vault, now] = [createVault([TEST_KEY]), () => new Date()];
    let meanwhile: (() => Promise<unknown>) | undefined;
    const runOnce = async () => {
      const work = meanwhile;
      meanwhile = undefined;
      await work?.();
    };
    const signalled: string[] = [];
    const deps = {
      ...TEST_CONFIG,
      ...records,
      recommendations: {
        ...records.recommendations,
        async approve(...approval: Parameters<typeof records.recommendations.approve>) {
          await runOnce();
          return await records.recommendations.approve(...approval);
        },
      },
      vault,
      now,
      stores: storesWith(vault),
      uploads: { start: runOnce, wake: () => Promise.resolve() },
      migrationCommands: {
        approve: async (approved: { recommendationId: string }) =>
          void signalled.push(approved.recommendationId),
      } as unknown as MigrationCommands,
      onBackgroundError: (error: unknown) => assert.fail(String(error)),
      requirePendingRoom: () => Promise.resolve(),
      catalogue,
    };
    const accountId = `account-${randomUUID()}`;
    await records.accounts.findOrCreate(accountId, 'enterprise', now());
    const read = async () => (await records.accounts.find(accountId)) as Account;
    for (const store of stores) await saveProvider(deps, await read(), OWNER, store);
    const recommendationId = await insertMove(records, { accountId, bucket: SOURCE.bucketName });
    const request = { recommendationId, targetProvider: 'b2' } as const;
    return {
      deps,
      accountId,
      read,
      signalled,
      recommendationId,
      init: async (account?: Account) => initUpload(deps, account ?? (await read()), FILE),
      approve: async (account?: Account) =>
        approveMigration(deps, account ?? (await read()), actorOf(accountId), request),
      stored: () => records.recommendations.find({ recommendationId, accountId }),
      booked: async () => (await records.quota.read({ accountId, month: toMonth(now()) })).uploads,
      /** Runs once, between a call's read of the account and its write. */
      atWrite: (work: () => Promise<unknown>) => void (meanwhile = work),
    };
  }

  for (const change of [ELSEWHERE, FRESH_KEY])
    it(`an init is for bucket ${change.bucketName} where that is stored by then with key ${change.accessKeyId}`, async () => {
      const { deps, accountId, read, init, booked, atWrite } = await open(TARGET);
      const account = await read();
      atWrite(() => saveProvider(deps, account, OWNER, change));
      const { file, presignedUrl } = await init(account);
      const given = [file.location.bucketName, presignedUrl];
      assert.deepEqual(given, [change.bucketName, change.accessKeyId]);
      const files = await deps.files.list(accountId, { offset: 0, limit: 10 });
      assert.deepEqual([files.length, files[0]?.fileId, await booked()], [1, file.fileId, 1]);
    });

  it('an init is refused where the provider is removed by then, and books nothing', async () => {
    const { deps, read, init, booked, atWrite } = await open(TARGET);
    const account = await read();
    atWrite(async () => removeProvider(deps, account, OWNER, 'b2'));
    await assert.rejects(init(account), { code: 'no_providers_configured' });
    assert.equal(await booked(), 0);
  });

  it('nothing: an init books nothing where the credentials cannot be opened', async () => {
    const { deps, read, booked } = await open(TARGET);
    const stores = storesWith(createVault([{ keyId: 'k2', key: Buffer.alloc(32, 2) }]));
    await assert.rejects(initUpload({ ...deps, stores }, await read(), FILE), {
      code: 'unavailable',
    });
    assert.equal(await booked(), 0);
  });

  for (const gone of [SOURCE, TARGET]) {
    it(`an approval is refused where ${gone.provider} is removed by then, and can be given later`, async () => {
      const { deps, read, approve, stored, signalled, atWrite } = await open(SOURCE, TARGET);
      const account = await read();
      atWrite(() => removeProvider(deps, account, OWNER, gone.provider));
      await assert.rejects(approve(account), { code: 'provider_not_configured' });
      const { status, approval } = (await stored()) ?? assert.fail();
      assert.deepEqual([status, approval], ['open', null]);
      assert.deepEqual(signalled, []);
      await saveProvider(deps, await read(), OWNER, gone);
      await approve();
      assert.equal((await stored())?.status, 'approved');
    });
  }

  for (const change of [ELSEWHERE, FRESH_KEY]) {
    it(`an approval is for bucket ${change.bucketName} where that is stored by then with key ${change.accessKeyId}`, async () => {
      const { deps, read, approve, stored, signalled, ...opened } = await open(SOURCE, TARGET);
      const account = await read();
      opened.atWrite(() => saveProvider(deps, account, OWNER, change));
      const { approval } = await approve(account);
      assert.equal(approval.target.bucketName, change.bucketName);
      assert.deepEqual((await stored())?.approval, approval);
      assert.deepEqual(signalled, [opened.recommendationId]);
    });
  }

  it('an approval is answered alike after its migration, though the provider has another bucket', async () => {
    const { deps, read, approve, accountId, recommendationId } = await open(SOURCE, TARGET);
    const first = await approve();
    await openStored(deps, { migrationId: recommendationId, accountId });
    const end = { status: 'completed', error: null, counts: NO_COUNTS } as const;
    await deps.migrations.end({ migrationId: recommendationId }, end, new Date());
    await deps.recommendations.clearHasWorkflow(recommendationId);
    await saveProvider(deps, await read(), OWNER, ELSEWHERE);
    assert.deepEqual(await approve(), first);
  });

  for (const [what, change] of Object.entries({
    moved: (deps: Deps, account: Account) => saveProvider(deps, account, OWNER, ELSEWHERE),
    removed: (deps: Deps, account: Account) => removeProvider(deps, account, OWNER, 'b2'),
  }))
    for (const user of ['files', 'recommendations'] as const)
      for (const look of [1, 2]) {
        it(`an init or an approval after look ${look} at the ${user} keeps the provider from being ${what}`, async () => {
          const { deps, read, init, approve } = await open(SOURCE, TARGET);
          let looks = 0;
          let used: StoreLocation | undefined;
          const use = async () =>
            user === 'files' ? (await init()).file.location : (await approve()).approval.target;
          const watched = {
            ...deps[user],
            async isProviderInUse(...asked: Parameters<Deps['files']['isProviderInUse']>) {
              const isInUse = await deps[user].isProviderInUse(...asked);
              looks += 1;
              if (looks === look) used = await use();
              return isInUse;
            },
          };
          const refused = { code: 'provider_in_use' };
          await assert.rejects(change({ ...deps, [user]: watched }, await read()), refused);
          const account = await read();
          assert.deepEqual(account.providers.b2?.location, used);
          if (user === 'recommendations') return;
          // It can be changed once the file is settled.
          const [file] = await deps.files.list(account.accountId, { offset: 0, limit: 1 });
          await deps.files.change(file?.fileId ?? '', ['pending'], { set: { status: 'active' } });
          await change(deps, account);
          assert.notDeepEqual((await read()).providers.b2?.location, used);
        });
      }
});

type Deps = Parameters<typeof saveProvider>[0];

/** Stores in memory that open the vault; a presigned URL is the id of the access key. */
function storesWith(vault: ReturnType<typeof createVault>): AccountStores {
  const at: AccountStores['at'] = (account, { provider }) => {
    const stored = account.providers[provider];
    assert.ok(stored);
    const owner = { accountId: account.accountId, provider };
    const { accessKeyId } = vault.open(stored.credentials, owner);
    return { ...bucketInMemory(), presignUpload: () => Promise.resolve(accessKeyId) };
  };
  return fakeAccountStores({ at });
}
