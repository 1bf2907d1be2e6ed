import { activityOf } from '../../harness/actor.ts';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { resealCredentials } from '../../../operations/providers/reseal.ts';
import type { Accounts } from '../../../adapters/mongo/accounts.ts';
import type { CipherKey } from '../../../adapters/vault/cipher.ts';
import { createVault, type Vault } from '../../../adapters/vault/vault.ts';
import type { Account } from '../../../domain/account/account.ts';
import type { ProviderName } from '../../../domain/provider/catalogue.ts';
import { freshId, NOW, testDatabase } from './database.ts';

const key = (keyId: string): CipherKey => ({ keyId, key: randomBytes(32) });

describe('sealing all credentials with the newest key', () => {
  const [oldKey, newKey] = [key('k1'), key('k2')];
  const before_ = createVault([oldKey]);
  const during = createVault([newKey, oldKey]);
  const afterwards = createVault([newKey]);
  const database = testDatabase('test');
  let accounts: Accounts;
  beforeEach(() => {
    accounts = database.records.accounts;
  });

  const reseal = (by = accounts) => resealCredentials({ accounts: by, vault: during });
  const secretOf = (accountId: string, provider: ProviderName, version = 1) => ({
    accessKeyId: `${provider}-${version}`,
    secretAccessKey: `secret of ${accountId} at ${provider}, version ${version}`,
  });
  const reread = async (accountId: string): Promise<Account> =>
    (await accounts.find(accountId)) ?? assert.fail('the account is gone');

  async function save(accountId: string, provider: ProviderName, by: Vault, version = 1) {
    const owner = { accountId, provider };
    const saved = await accounts.saveProvider(
      await reread(accountId),
      {
        location: { provider, bucketName: 'photos', region: 'auto' },
        credentials: by.seal(secretOf(accountId, provider, version), owner),
        accessKeyIdMasked: '…',
        createdAt: NOW,
        updatedAt: NOW,
      },
      activityOf(accountId, 'provider.saved'),
    );
    assert.ok(saved);
  }

  async function createAccounts(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => freshId('account')).sort();
    for (const accountId of ids) {
      await accounts.findOrCreate(accountId, 'growth', NOW);
      await save(accountId, 'aws', before_);
      await save(accountId, 'r2', before_);
    }
    return ids;
  }

  async function opensWith(vault: Vault, accountId: string, provider: ProviderName) {
    const sealed = (await reread(accountId)).providers[provider]?.credentials;
    return vault.open(sealed ?? assert.fail('not configured'), { accountId, provider });
  }

  it('makes the old key needless, and changes nothing else', async () => {
    const ids = await createAccounts(5);
    const revisions = await Promise.all(ids.map(reread));
    await accounts.findOrCreate(freshId('account'), 'free', NOW);
    // Three runs that meet swap once.
    const runs = await Promise.all([1, 2, 3].map(() => reseal()));
    assert.equal(
      runs.reduce((sum, { resealed }) => sum + resealed, 0),
      10,
    );
    for (const { resealed, current } of runs) assert.equal(resealed + current, 10);
    for (const [index, accountId] of ids.entries()) {
      for (const provider of ['aws', 'r2'] as const)
        assert.deepEqual(
          await opensWith(afterwards, accountId, provider),
          secretOf(accountId, provider),
        );
      const { providersRevision, plan } = await reread(accountId);
      assert.deepEqual([providersRevision, plan], [revisions[index]?.providersRevision, 'growth']);
    }
    assert.deepEqual(await reseal(), { resealed: 0, current: 10, unreadable: [] });
  });

  it('goes on where it was killed', async () => {
    const ids = await createAccounts(5);
    let swaps = 0;
    const dying: Accounts = {
      ...accounts,
      reseal: (...swap) => {
        swaps += 1;
        return swaps > 4 ? Promise.reject(new Error('killed')) : accounts.reseal(...swap);
      },
    };
    await assert.rejects(reseal(dying), /killed/);
    const counts = await reseal();
    assert.deepEqual(counts, { resealed: 6, current: 4, unreadable: [] });
    for (const accountId of ids)
      assert.deepEqual(await opensWith(afterwards, accountId, 'r2'), secretOf(accountId, 'r2'));
  });

  it('goes past credentials that no key opens, and names them', async () => {
    const [first = '', second = '', third = ''] = await createAccounts(3);
    await save(second, 'r2', createVault([key('lost')]));
    const counts = await reseal();
    const unreadable = [{ accountId: second, provider: 'r2' }];
    assert.deepEqual(counts, { resealed: 5, current: 0, unreadable });
    for (const accountId of [first, third])
      assert.deepEqual(await opensWith(afterwards, accountId, 'r2'), secretOf(accountId, 'r2'));
  });

  /** Something happens between the reading of the first credentials and their swap. */
  const interrupted = (work: (accountId: string, provider: ProviderName) => Promise<unknown>) => {
    let isDone = false;
    const swap: Accounts['reseal'] = async (accountId, provider, from, to) => {
      if (!isDone) {
        isDone = true;
        await work(accountId, provider);
      }
      return accounts.reseal(accountId, provider, from, to);
    };
    return resealCredentials({ accounts: { ...accounts, reseal: swap }, vault: during });
  };

  for (const [age, by, counts] of [
    ['new', during, [1, 1]],
    ['old', before_, [2, 0]],
  ] as const)
    it(`lets credentials win that are saved meanwhile with the ${age} key, and leaves nothing under the old one`, async () => {
      const [accountId = ''] = await createAccounts(1);
      const found = await interrupted((id, provider) => save(id, provider, by, 2));
      // An operator takes the old key away once a run says that all are current.
      const kept = secretOf(accountId, 'aws', 2);
      assert.deepEqual(await opensWith(afterwards, accountId, 'aws'), kept);
      assert.deepEqual(await opensWith(afterwards, accountId, 'r2'), secretOf(accountId, 'r2'));
      assert.deepEqual([found.resealed, found.current, found.unreadable], [...counts, []]);
    });

  it('does not bring a removed provider back', async () => {
    const [accountId = ''] = await createAccounts(1);
    await interrupted(async (id) =>
      accounts.removeProvider(await reread(id), 'aws', activityOf(id, 'provider.deleted')),
    );
    assert.deepEqual(Object.keys((await reread(accountId)).providers), ['r2']);
  });
});
