import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { approveMigration } from '../../../api/migrations/approval.ts';
import { removeProvider, saveProvider } from '../../../api/providers/providers.ts';
import type { Recommendations } from '../../../adapters/mongo/recommendations.ts';
import { createVault } from '../../../adapters/vault/vault.ts';
import { TEST_CONFIG, TEST_KEY } from '../../harness/api-config.ts';
import { NO_COUNTS } from '../../../domain/migration/counts.ts';
import type { Account } from '../../../domain/account/account.ts';
import { insertMove } from '../../harness/stored-recommendation.ts';
import { openTestDatabase, type TestDatabase } from '../adapters/database.ts';

const KEYS = { accessKeyId: 'AKIA0000', secretAccessKey: 'secret' };
const SOURCE = { provider: 'aws', bucketName: 'photos', region: 'us-east-1', ...KEYS } as const;
const TARGET = { provider: 'b2', bucketName: 'copies', region: 'us-west-002', ...KEYS } as const;
const ELSEWHERE = { ...TARGET, bucketName: 'others' };

describe('an approval and a change of its provider at once', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase();
  });
  after(() => database.close());

  async function open() {
    const { records } = database;
    const unexpected = () => assert.fail('not expected');
    const signalled: string[] = [];
    const deps = {
      ...TEST_CONFIG,
      ...records,
      vault: createVault([TEST_KEY]),
      now: () => new Date(),
      stores: { at: unexpected, of: unexpected },
      migrationCommands: {
        start: unexpected,
        dismiss: unexpected,
        cancel: unexpected,
        isLost: unexpected,
        view: unexpected,
        approve: async ({ recommendationId }: { recommendationId: string }) => {
          signalled.push(recommendationId);
        },
      },
      onBackgroundError: (error: unknown) => assert.fail(String(error)),
    };
    const accountId = `account-${randomUUID()}`;
    const created = await records.accounts.findOrCreate(accountId, 'enterprise', new Date());
    await saveProvider(deps, created, SOURCE);
    const read = async () => (await records.accounts.find(accountId)) as Account;
    await saveProvider(deps, await read(), TARGET);
    const recommendationId = await insertMove(records, {
      accountId,
      bucket: SOURCE.bucketName,
      region: SOURCE.region,
      objects: 1,
      bytes: 1,
    });
    const request = {
      recommendationId,
      targetProvider: 'b2',
      approvedBy: 'owner',
      requestId: 'race',
    } as const;
    const stored = async () => await records.recommendations.find({ recommendationId, accountId });
    return { deps, read, request, stored, signalled };
  }

  /** `work` runs once, between the approval's read of the account and its write. */
  function atWrite(
    recommendations: Recommendations,
    work: () => Promise<unknown>,
  ): Recommendations {
    let meanwhile: (() => Promise<unknown>) | undefined = work;
    return {
      ...recommendations,
      async approve(...approval) {
        const change = meanwhile;
        meanwhile = undefined;
        await change?.();
        return await recommendations.approve(...approval);
      },
    };
  }

  for (const provider of ['aws', 'b2'] as const) {
    it(`is refused where ${provider} is removed by then, and the recommendation stays open`, async () => {
      const { deps, read, request, stored, signalled } = await open();
      const account = await read();
      const recommendations = atWrite(deps.recommendations, () =>
        removeProvider(deps, account, provider),
      );
      await assert.rejects(approveMigration({ ...deps, recommendations }, account, request), {
        code: 'provider_not_configured',
      });
      const { status, approval } = (await stored()) ?? assert.fail();
      assert.deepEqual([status, approval], ['open', null]);
      assert.deepEqual(signalled, []);
      // It can be approved once the provider is stored again.
      await saveProvider(deps, await read(), provider === 'aws' ? SOURCE : TARGET);
      await approveMigration(deps, await read(), request);
      assert.equal((await stored())?.status, 'approved');
    });
  }

  it('is for the new bucket where the provider has another one by then', async () => {
    const { deps, read, request, stored, signalled } = await open();
    const account = await read();
    const recommendations = atWrite(deps.recommendations, () =>
      saveProvider(deps, account, ELSEWHERE),
    );
    const { approval } = await approveMigration({ ...deps, recommendations }, account, request);
    assert.equal(approval.target.bucketName, 'others');
    assert.deepEqual((await stored())?.approval, approval);
    assert.deepEqual(signalled, [request.recommendationId]);
  });

  it('is the same for new credentials of the same bucket', async () => {
    const { deps, read, request, stored } = await open();
    const account = await read();
    const recommendations = atWrite(deps.recommendations, () =>
      saveProvider(deps, account, { ...TARGET, accessKeyId: 'AKIA1111' }),
    );
    const { approval } = await approveMigration({ ...deps, recommendations }, account, request);
    assert.deepEqual((await stored())?.approval, approval);
  });

  it('is answered alike again after its migration, though the provider has another bucket', async () => {
    const { deps, read, request } = await open();
    const first = await approveMigration(deps, await read(), request);
    const { recommendationId, accountId } = first;
    const at = new Date();
    await deps.migrations.open({
      migrationId: recommendationId,
      accountId,
      cloudAccountId: '111122223333',
      asOf: at,
      approvedAt: at,
      startedAt: at,
    });
    const end = { status: 'completed', error: null, counts: NO_COUNTS } as const;
    await deps.migrations.end(recommendationId, end, at);
    await deps.recommendations.clearHasWorkflow(recommendationId);
    await saveProvider(deps, await read(), ELSEWHERE);
    assert.deepEqual(await approveMigration(deps, await read(), request), first);
  });

  const changes: Record<string, (deps: Deps, account: Account) => Promise<unknown>> = {
    moved: (deps, account) => saveProvider(deps, account, ELSEWHERE),
    removed: (deps, account) => removeProvider(deps, account, 'b2'),
  };
  for (const [what, change] of Object.entries(changes)) {
    for (const look of [1, 2]) {
      it(`keeps the provider from being ${what} where the approval comes after look ${look}`, async () => {
        const { deps, read, request, stored } = await open();
        let looks = 0;
        const recommendations: Recommendations = {
          ...deps.recommendations,
          async isProviderInUse(...use) {
            const isInUse = await deps.recommendations.isProviderInUse(...use);
            looks += 1;
            if (looks === look) await approveMigration(deps, await read(), request);
            return isInUse;
          },
        };
        await assert.rejects(change({ ...deps, recommendations }, await read()), {
          code: 'provider_in_use',
        });
        const { approval } = (await stored()) ?? assert.fail();
        assert.deepEqual((await read()).providers.b2?.location, approval?.target);
      });
    }
  }
});

type Deps = Parameters<typeof saveProvider>[0];
