import { activityOf } from '../../harness/actor.ts';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { resealCredentials } from '../../../operations/providers/reseal.ts';
import type { Accounts } from '../../../adapters/mongo/accounts/accounts.ts';
import type { FormerPlaces } from '../../../adapters/mongo/providers/former-places.ts';
import { createVault, type Vault } from '../../../adapters/vault/vault.ts';
import type { Account, StoredProvider } from '../../../domain/accounts/account.ts';
import type { Webhook } from '../../../domain/webhooks/webhook.ts';
import type { ProviderName } from '../../../domain/providers/catalogue.ts';
import { freshId, NOW, testDatabase } from './database.ts';
import { overriding } from '../../harness/overriding.ts';

const key = (keyId: string) => ({ keyId, key: randomBytes(32) });
const [OLD, NEW] = [key('k1'), key('k2')];
const [before_, during, afterwards] = [
  createVault([OLD]),
  createVault([NEW, OLD]),
  createVault([NEW]),
];
const STORES = ['aws', 'r2'] as const;

describe('sealing all credentials with the newest key', () => {
  const database = testDatabase('test');
  let accounts: Accounts;
  beforeEach(() => {
    accounts = database.records.accounts;
  });

  const reseal = (by = accounts, formerPlaces: FormerPlaces = database.records.formerPlaces) =>
    resealCredentials({ ...database.records, formerPlaces, accounts: by, vault: during });
  const secretOf = (accountId: string, provider: ProviderName, version = 1) => {
    const accessKeyId = `${provider}-${version}`;
    return { accessKeyId, secretAccessKey: `secret of ${accountId}, ${accessKeyId}` };
  };
  const reread = async (accountId: string): Promise<Account> =>
    (await accounts.findAccount(accountId)) ?? assert.fail('the account is gone');

  function sealed(
    accountId: string,
    provider: ProviderName,
    by: Vault,
    { version = 1, bucketName = 'photos' } = {},
  ): StoredProvider {
    const location = { provider, bucketName, region: 'auto' };
    const credentials = by.seal(secretOf(accountId, provider, version), { accountId, provider });
    const times = { createdAt: NOW, updatedAt: NOW };
    return { location, credentials, accessKeyIdMasked: '…', ...times };
  }

  async function save(accountId: string, provider: ProviderName, by: Vault, version = 1) {
    const stored = sealed(accountId, provider, by, { version });
    const saved = activityOf(accountId, 'provider.saved');
    assert.ok(await accounts.saveProvider(await reread(accountId), stored, saved, []));
  }

  /** Gives a provider another place; what it has until then becomes a former one. */
  async function move(accountId: string, provider: ProviderName, bucketName: string, by: Vault) {
    const account = await reread(accountId);
    const { [provider]: before = assert.fail() } = account.providers;
    const next = sealed(accountId, provider, by, { version: 2, bucketName });
    const { formerPlaces } = database.records;
    assert.ok(await formerPlaces.keep(accountId, { ...before, since: NOW }, next.location));
    const saved = activityOf(accountId, 'provider.saved');
    assert.ok(await accounts.saveProvider(account, next, saved, []));
  }

  /** What a vault opens of the former places, by their buckets. */
  async function openedFormer(accountId: string, by: Vault) {
    const places = await database.records.formerPlaces.listFormerPlaces(accountId);
    return Object.fromEntries(
      places.map(({ location: { provider, bucketName }, credentials }) => [
        `${provider} ${bucketName}`,
        by.open(credentials, { accountId, provider }),
      ]),
    );
  }

  /** Accounts with two stores each, sealed with the old key. */
  async function createAccounts(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => freshId('account')).sort();
    for (const accountId of ids) {
      await accounts.findOrCreate(accountId, 'growth', NOW);
      for (const provider of STORES) await save(accountId, provider, before_);
    }
    return ids;
  }

  /** That this vault opens them all. */
  async function requireOpened(
    by: Vault,
    ids: readonly string[],
    providers: readonly ProviderName[] = STORES,
    version = 1,
  ) {
    for (const accountId of ids)
      for (const provider of providers) {
        const sealed = (await reread(accountId)).providers[provider]?.credentials;
        const opened = by.open(sealed ?? assert.fail('not configured'), { accountId, provider });
        assert.deepEqual(opened, secretOf(accountId, provider, version));
      }
  }

  it('makes the old key needless by three runs that meet, each once, and changes nothing else', async () => {
    const ids = await createAccounts(5);
    const revisions = await Promise.all(ids.map(reread));
    await accounts.findOrCreate(freshId('account'), 'free', NOW);
    const runs = await Promise.all([1, 2, 3].map(() => reseal()));
    const sum = runs.reduce((all, { resealed }) => all + resealed, 0);
    assert.equal(sum, 10);
    for (const { resealed, current } of runs) assert.equal(resealed + current, 10);
    await requireOpened(afterwards, ids);
    for (const { accountId } of revisions) assert.equal((await reread(accountId)).plan, 'growth');
    assert.deepEqual(await reseal(), { resealed: 0, current: 10, unreadable: [] });
  });

  it('goes on where it was killed', async () => {
    const ids = await createAccounts(5);
    let swaps = 0;
    const dying: Accounts['reseal'] = async (...swap) => {
      swaps += 1;
      if (swaps > 4) throw new Error('killed');
      return await accounts.reseal(...swap);
    };
    await assert.rejects(reseal(overriding(accounts, { reseal: dying })), /killed/);
    assert.deepEqual(await reseal(), { resealed: 6, current: 4, unreadable: [] });
    await requireOpened(afterwards, ids);
  });

  it('goes past credentials that no key opens, and names them', async () => {
    const [first = '', second = '', third = ''] = await createAccounts(3);
    await save(second, 'r2', createVault([key('lost')]));
    const unreadable = [{ accountId: second, provider: 'r2' }];
    assert.deepEqual(await reseal(), { resealed: 5, current: 0, unreadable });
    await requireOpened(afterwards, [first, third]);
  });

  const interrupted = (work: (accountId: string, provider: ProviderName) => Promise<unknown>) => {
    let isDone = false;
    const swap: Accounts['reseal'] = async (accountId, provider, from, to) => {
      if (!isDone) {
        isDone = true;
        await work(accountId, provider);
      }
      return accounts.reseal(accountId, provider, from, to);
    };
    return reseal(overriding(accounts, { reseal: swap }));
  };

  for (const [age, by, counts] of [
    ['new', during, [1, 1]],
    ['old', before_, [2, 0]],
  ] as const)
    it(`lets credentials win that are saved meanwhile with the ${age} key, and leaves nothing under the old one`, async () => {
      const ids = await createAccounts(1);
      const found = await interrupted((id, provider) => save(id, provider, by, 2));
      // An operator takes the old key away once a run says that all are current.
      await requireOpened(afterwards, ids, ['aws'], 2);
      await requireOpened(afterwards, ids, ['r2']);
      assert.deepEqual([found.resealed, found.current, found.unreadable], [...counts, []]);
    });

  it('covers former places, and names those that no key opens', async () => {
    const [one = '', other = ''] = await createAccounts(2);
    await move(one, 'aws', 'second', before_);
    await move(one, 'aws', 'third', before_);
    await move(one, 'r2', 'second', during);
    await save(other, 'r2', createVault([key('lost')]));
    await move(other, 'r2', 'second', during);
    const unreadable = [{ accountId: other, provider: 'r2' }];
    // Of the first account: aws thrice, r2 with its former place. Of the other: aws.
    assert.deepEqual(await reseal(), { resealed: 5, current: 2, unreadable });
    assert.deepEqual(await openedFormer(one, afterwards), {
      'aws photos': secretOf(one, 'aws'),
      'aws second': secretOf(one, 'aws', 2),
      'r2 photos': secretOf(one, 'r2'),
    });
    assert.deepEqual(await reseal(), { resealed: 0, current: 7, unreadable });
  });

  /** The first replacement of what is sealed for a former place comes after this work. */
  const interruptedAtFormer = (work: () => Promise<unknown>) => {
    const { formerPlaces } = database.records;
    let isDone = false;
    const swap: FormerPlaces['reseal'] = async (...swapped) => {
      if (!isDone) {
        isDone = true;
        await work();
      }
      return await formerPlaces.reseal(...swapped);
    };
    return reseal(accounts, overriding(formerPlaces, { reseal: swap }));
  };

  it('loses none of a place that is replaced while it is sealed', async () => {
    const [accountId = ''] = await createAccounts(1);
    await interrupted((id, provider) => move(id, provider, 'second', before_));
    await requireOpened(afterwards, [accountId], ['aws'], 2);
    await requireOpened(afterwards, [accountId], ['r2']);
    const former = { 'aws photos': secretOf(accountId, 'aws') };
    assert.deepEqual(await openedFormer(accountId, afterwards), former);
  });

  it('lets the credentials of a former place win that are saved meanwhile, and leaves nothing under the old key', async () => {
    const [accountId = ''] = await createAccounts(1);
    await move(accountId, 'aws', 'second', during);
    const { formerPlaces } = database.records;
    const found = await interruptedAtFormer(async () => {
      const saved = sealed(accountId, 'aws', before_, { version: 3 });
      assert.ok(await formerPlaces.replaceCredentials(accountId, saved));
    });
    // An operator takes the old key away once a run says that all are current.
    const former = { 'aws photos': secretOf(accountId, 'aws', 3) };
    assert.deepEqual(await openedFormer(accountId, afterwards), former);
    assert.deepEqual(found, { resealed: 2, current: 1, unreadable: [] });
  });

  it('does not bring a forgotten place back', async () => {
    const [accountId = ''] = await createAccounts(1);
    await move(accountId, 'aws', 'second', during);
    const { formerPlaces } = database.records;
    const found = await interruptedAtFormer(() => formerPlaces.forgetAll(accountId, 'aws'));
    assert.deepEqual(await formerPlaces.listFormerPlaces(accountId), []);
    assert.deepEqual(found, { resealed: 1, current: 1, unreadable: [] });
  });

  it('does not bring a removed provider back', async () => {
    const [accountId = ''] = await createAccounts(1);
    await interrupted(async (id) =>
      accounts.removeProvider(await reread(id), 'aws', activityOf(id, 'provider.deleted')),
    );
    assert.deepEqual(Object.keys((await reread(accountId)).providers), ['r2']);
  });

  /** A webhook whose secrets are sealed with the old key. */
  async function addWebhook(more: Partial<Webhook> = {}) {
    const key = { accountId: freshId('account'), webhookId: freshId('webhook') };
    const webhook = {
      webhookId: key.webhookId,
      url: 'https://example.com/',
      events: ['scan.completed' as const],
      format: 'standard' as const,
      secret: before_.sealSecret('whsec_new', key),
      earlier: { secret: before_.sealSecret('whsec_old', key), until: NOW },
      createdAt: NOW,
      disabledAt: null,
      ...more,
    };
    const { webhooks } = database.records;
    await webhooks.addWebhook(key.accountId, webhook, activityOf(key.accountId, 'webhook.added'));
    const read = async () => (await webhooks.findWebhook(key)) ?? assert.fail();
    const openedBy = async (vault: Vault) => {
      const { secret, earlier, sealedUrl } = await read();
      return [secret, earlier?.secret, sealedUrl].map(
        (sealed) => sealed && vault.openSecret(sealed, key),
      );
    };
    return { key, read, openedBy };
  }

  it('covers the secrets of webhooks, the one before a rotation too', async () => {
    const { openedBy } = await addWebhook();
    assert.deepEqual(await reseal(), { resealed: 1, current: 0, unreadable: [] });
    assert.deepEqual(await openedBy(afterwards), ['whsec_new', 'whsec_old', undefined]);
    assert.deepEqual(await reseal(), { resealed: 0, current: 1, unreadable: [] });
  });

  it('seals the address of a channel that is stored as it is', async () => {
    const url = 'https://hooks.slack.com/services/T01234567/B89012345/abcdef';
    const { read, openedBy } = await addWebhook({ format: 'slack', url });
    assert.deepEqual(await reseal(), { resealed: 1, current: 0, unreadable: [] });
    assert.equal((await read()).url, 'https://hooks.slack.com/services/T…/…');
    assert.deepEqual(await openedBy(afterwards), ['whsec_new', 'whsec_old', url]);
    assert.deepEqual(await reseal(), { resealed: 0, current: 1, unreadable: [] });
  });

  it('names a webhook whose secret before a rotation no key opens, and seals the others', async () => {
    const lost = createVault([key('lost')]).sealSecret('whsec_lost', {
      accountId: 'a',
      webhookId: 'w',
    });
    const webhook = await addWebhook({ earlier: { secret: lost, until: NOW } });
    const unreadable = [webhook.key];
    assert.deepEqual(await reseal(), { resealed: 0, current: 0, unreadable });
    const { secret, earlier } = await webhook.read();
    assert.equal(afterwards.openSecret(secret, webhook.key), 'whsec_new');
    assert.deepEqual(earlier?.secret, lost);
  });
});
