import { activityOf, actorOf } from '../../harness/actor.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { approveMigration } from '../../../operations/migrations/approval.ts';
import {
  listProviders,
  removeProvider,
  saveFormerPlace,
  saveProvider,
  type ProviderSettings,
} from '../../../operations/providers/providers.ts';
import { completeUpload } from '../../../operations/uploads/completion.ts';
import { getFile } from '../../../operations/uploads/files.ts';
import { initUpload } from '../../../operations/uploads/init.ts';
import type { UploadContext } from '../../../activities/contexts.ts';
import { createUploadActivities } from '../../../activities/uploads/uploads.ts';
import { sweepFormerPlaces } from '../../../activities/uploads/former-places.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import { createAccountStores } from '../../../adapters/object-store/account-stores.ts';
import type { MigrationCommands } from '../../../adapters/temporal/migration-commands.ts';
import { createStoreGuard } from '../../../worker/store-guard.ts';
import { createVault } from '../../../adapters/vault/vault.ts';
import { TEST_CONFIG, TEST_KEY } from '../../harness/api-config.ts';
import { storeOf, type Account } from '../../../domain/accounts/account.ts';
import { addSeconds, toMonth } from '../../../domain/common/time.ts';
import { NO_COUNTS } from '../../../domain/migrations/counts.ts';
import { refusalsOf } from '../../../domain/providers/pause.ts';
import { unreported } from '../../harness/progress.ts';
import { stubbed } from '../../harness/stubbed.ts';
import { insertMove } from '../../harness/stored-recommendation.ts';
import { testDatabase } from '../adapters/database.ts';
import { catalogue } from '../../harness/catalogue.ts';
import { bucketInMemory, describeObject } from '../../harness/unused-store.ts';
import { overriding } from '../../harness/overriding.ts';

const FILE = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 8 };
const IN_PARTS = { ...FILE, fileSizeBytes: 20_000_000, multipart: true };
const KEYS = { accessKeyId: 'AKIA0000', secretAccessKey: 'secret' };
const SOURCE = { provider: 'aws', bucketName: 'photos', region: 'us-east-1', ...KEYS } as const;
const TARGET = { provider: 'b2', bucketName: 'copies', region: 'us-west-002', ...KEYS } as const;
const ELSEWHERE = { ...TARGET, bucketName: 'others', accessKeyId: 'AKIA1111' };
const OWNER = actorOf('owner');

describe('a change of a provider at once with', () => {
  const database = testDatabase();

  /** An account with these stores; its owner, and what he may do with them. */
  async function open(...stores: ProviderSettings[]) {
    const { records } = database;
    let time = new Date();
    const [vault, now] = [createVault([TEST_KEY]), () => time];
    let meanwhile: (() => Promise<unknown>) | undefined;
    const runOnce = async () => {
      const work = meanwhile;
      meanwhile = undefined;
      await work?.();
    };
    const aborted: string[] = [];
    const silent = new Set<string>();
    const deps = {
      ...TEST_CONFIG,
      ...records,
      files: overriding(records.files, {
        async insertFile(...file: Parameters<typeof records.files.insertFile>) {
          if (!file[0].multipart) await runOnce();
          await records.files.insertFile(...file);
        },
      }),
      recommendations: overriding(records.recommendations, {
        async approve(...approval: Parameters<typeof records.recommendations.approve>) {
          await runOnce();
          return await records.recommendations.approve(...approval);
        },
      }),
      formerPlaces: overriding(records.formerPlaces, {
        async keep(...kept: Parameters<typeof records.formerPlaces.keep>) {
          await runOnce();
          return await records.formerPlaces.keep(...kept);
        },
      }),
      vault,
      now,
      temporal: { ping: () => Promise.resolve() },
      // Stores in memory; a presigned URL is the bucket and the id of the access key.
      stores: createAccountStores(
        { vault, formerPlaces: records.formerPlaces },
        ({ bucketName }, { accessKeyId }) => ({
          ...bucketInMemory(),
          head: (key) =>
            silent.has(bucketName)
              ? Promise.reject(new StoreError('timed_out'))
              : Promise.resolve(
                  key.startsWith('uploads/') ? describeObject(FILE.fileSizeBytes) : undefined,
                ),
          presignUpload: () => Promise.resolve(`${bucketName} ${accessKeyId}`),
          presignDownload: () => Promise.resolve(`${bucketName} ${accessKeyId}`),
          async beginUpload() {
            await runOnce();
            return 'begun';
          },
          abortUpload: async (_key, uploadId) =>
            void aborted.push(`${uploadId} at ${bucketName} by ${accessKeyId}`),
        }),
        catalogue,
        () => undefined,
      ),
      uploads: { wake: () => Promise.resolve() } as never,
      uploadStarts: {
        reserve: () => Promise.resolve({ begin: () => {}, cancel: () => {} }),
      } as never,
      migrationCommands: { approve: () => Promise.resolve() } as unknown as MigrationCommands,
      onBackgroundError: (error: unknown) => assert.fail(String(error)),
      requirePendingRoom: () => Promise.resolve(),
      catalogue,
    };
    const accountId = `account-${randomUUID()}`;
    await records.accounts.findOrCreate(accountId, 'enterprise', now());
    const read = async () => (await records.accounts.findAccount(accountId)) as Account;
    for (const store of stores) await saveProvider(deps, await read(), OWNER, store);
    const recommendationId = await insertMove(records, { accountId, bucket: SOURCE.bucketName });
    const request = { recommendationId, targetProvider: 'b2' } as const;
    return {
      deps,
      accountId,
      read,
      aborted,
      save: async (settings: ProviderSettings) => saveProvider(deps, await read(), OWNER, settings),
      init: async (account?: Account) => initUpload(deps, account ?? (await read()), FILE),
      complete: async (fileId: string) => completeUpload(deps, await read(), fileId),
      get: async (fileId: string) => getFile(deps, await read(), fileId),
      approve: async (account?: Account) =>
        approveMigration(deps, account ?? (await read()), actorOf(accountId), request),
      /** Connects a store for audits, as it is now; the connection's id. */
      connect: async () => {
        const { location: place } = (await read()).providers.b2 ?? assert.fail();
        const of = { accountId, provider: 'b2', owner: 'b2', place, buckets: null };
        const known = {
          connectionId: randomUUID(),
          bucketCount: 1,
          warnings: [],
          createdAt: now(),
        };
        const connected = () => activityOf(accountId, 'connection.saved');
        return (await records.connections.saveConnection({ ...of, ...known }, connected))
          .connectionId;
      },
      booked: async () => (await records.quota.read({ accountId, month: toMonth(now()) })).uploads,
      former: async () =>
        (await listProviders(deps, await read())).flatMap(({ former }) =>
          former.map(({ place, files, bytes }) => [place.location.bucketName, files, bytes]),
        ),
      /** Runs once, between a call's read of the account and its write. */
      atWrite: (work: () => Promise<unknown>) => void (meanwhile = work),
      pass: (seconds: number) => void (time = addSeconds(time, seconds)),
      sweep: () => sweepFormerPlaces(stubbed<UploadContext>({ ...deps, progress: unreported })),
      silent,
      worker: createUploadActivities(
        stubbed<UploadContext>({ ...deps, guard: createStoreGuard(100) }),
      ),
    };
  }

  it('an init: the file is at the place that was read, and completed and read there', async () => {
    const { deps, read, init, complete, get, booked, former, ...opened } = await open(TARGET);
    const account = await read();
    opened.atWrite(() => saveProvider(deps, account, OWNER, ELSEWHERE));
    const { file, presignedUrl } = await init(account);
    assert.equal(presignedUrl, 'copies AKIA0000');
    assert.deepEqual(await former(), [['copies', 1, FILE.fileSizeBytes]]);
    await complete(file.fileId);
    assert.equal((await get(file.fileId)).download?.url, 'copies AKIA0000');
    assert.equal((await init()).presignedUrl, 'others AKIA1111');
    assert.equal(await booked(), 2);
  });

  it('an init: a provider that is removed by then leaves a file at a place that is forgotten', async () => {
    const { deps, read, init, get, worker, accountId, ...opened } = await open(TARGET);
    const account = await read();
    opened.atWrite(() => removeProvider(deps, account, OWNER, 'b2'));
    const { file } = await init(account);
    await assert.rejects(get(file.fileId), { code: 'provider_not_configured' });
    await opened.save(TARGET);
    assert.equal((await get(file.fileId)).file.status, 'pending');

    await opened.complete(file.fileId);
    const again = await read();
    opened.atWrite(() => removeProvider(deps, again, OWNER, 'b2'));
    const { fileId } = (await init(again)).file;
    assert.equal((await worker.settleUpload({ accountId, fileId })).status, 'expired');
    await assert.rejects(worker.lookAgain({ accountId, fileId }), {
      code: 'provider_not_configured',
    });
    await opened.save(TARGET);
    assert.equal((await worker.lookAgain({ accountId, fileId })).status, 'active');
  });

  it('an init in parts: its upload is aborted with the credentials in hand where its place is forgotten', async () => {
    const { deps, read, booked, aborted, accountId, ...opened } = await open(TARGET);
    const account = await read();
    opened.atWrite(async () => {
      await deps.files.change(
        (await deps.files.listFiles(accountId, { offset: 0, limit: 1 }))[0]?.fileId ?? '',
        ['pending'],
        { set: { deleteStoppedAt: new Date() } },
      );
      await removeProvider(deps, account, OWNER, 'b2');
    });
    await assert.rejects(initUpload(deps, account, IN_PARTS), { code: 'no_providers_configured' });
    assert.deepEqual(aborted, ['begun at copies by AKIA0000']);
    assert.equal(await booked(), 0);
    assert.deepEqual(await deps.files.listFiles(accountId, { offset: 0, limit: 1 }), []);
  });

  it('nothing: an init books nothing where the credentials cannot be opened', async () => {
    const { deps, read, booked } = await open(TARGET);
    const vault = createVault([{ keyId: 'k2', key: Buffer.alloc(32, 2) }]);
    const { formerPlaces } = deps;
    const stores = createAccountStores(
      { vault, formerPlaces },
      () => assert.fail('no store is expected'),
      catalogue,
      () => undefined,
    );
    await assert.rejects(initUpload({ ...deps, stores }, await read(), FILE), {
      code: 'unavailable',
    });
    assert.equal(await booked(), 0);
  });

  it('an approval: it is for the place that was read, whose credentials stay', async () => {
    const { deps, read, approve, former, ...opened } = await open(SOURCE, TARGET);
    const account = await read();
    opened.atWrite(() => saveProvider(deps, account, OWNER, ELSEWHERE));
    const { approval } = await approve(account);
    assert.equal(approval.target.bucketName, 'copies');
    opened.pass(3_600);
    await opened.sweep();
    assert.deepEqual(await former(), [['copies', 0, 0]]);
  });

  it('ten changes of place: none is lost, one is current, and the others stay where they are needed', async () => {
    const { deps, read, former, init, complete, ...opened } = await open(TARGET);
    await complete((await init()).file.fileId);
    const account = await read();
    const names = Array.from({ length: 10 }, (_, at) => `place-${at}`);
    await Promise.all(
      names.map((bucketName) => saveProvider(deps, account, OWNER, { ...TARGET, bucketName })),
    );
    const current = (await read()).providers.b2?.location.bucketName ?? '';
    const kept = (await former()).map(([bucketName]) => bucketName);
    assert.deepEqual(new Set([...kept, current]), new Set(['copies', ...names]));
    assert.equal(kept.length, 10);
    opened.pass(61);
    await opened.sweep();
    assert.deepEqual(await former(), [['copies', 1, FILE.fileSizeBytes]]);
    assert.equal((await deps.formerPlaces.listFormerPlaces(opened.accountId)).length, 1);
  });

  it('its removal: nothing of the removed place is kept', async () => {
    const { deps, save, read, accountId, ...opened } = await open(TARGET);
    const account = await read();
    opened.atWrite(() => removeProvider(deps, account, OWNER, 'b2'));
    await save(ELSEWHERE);
    assert.equal((await read()).providers.b2?.location.bucketName, 'others');
    assert.deepEqual(await deps.formerPlaces.listFormerPlaces(accountId), []);
  });

  it('another first one: the plan’s number is not exceeded', async () => {
    const { deps, read, accountId } = await open();
    const plans = { ...deps.plans, enterprise: { ...deps.plans.enterprise, providers: 1 } };
    const account = await read();
    const saved = await Promise.allSettled(
      [SOURCE, TARGET].map((store) => saveProvider({ ...deps, plans }, account, OWNER, store)),
    );
    assert.deepEqual(saved.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    assert.equal(
      Object.keys((await deps.accounts.findAccount(accountId))?.providers ?? {}).length,
      1,
    );
  });

  describe('a former place', () => {
    it('is forgotten after a minute where nothing needs it, and kept where a file does', async () => {
      const { deps, save, init, complete, former, ...opened } = await open(TARGET);
      await save(ELSEWHERE);
      const { fileId } = (await init()).file;
      await complete(fileId);
      await save({ ...TARGET, bucketName: 'third' });
      await opened.sweep();
      assert.equal((await former()).length, 2, 'an init may be under way');
      opened.pass(61);
      await opened.sweep();
      assert.deepEqual(await former(), [['others', 1, FILE.fileSizeBytes]]);
      assert.equal((await opened.get(fileId)).download?.url, 'others AKIA1111');
      await deps.files.change(fileId, ['active'], { set: { status: 'deleted' } });
      opened.pass(3_600);
      await opened.sweep();
      assert.deepEqual(await former(), []);
      assert.deepEqual(await deps.formerPlaces.listFormerPlaces(opened.accountId), []);
    });

    it('that becomes current again is no former one, and its refusals end', async () => {
      const { deps, save, former, read, ...opened } = await open(TARGET);
      const { location = assert.fail() } = (await read()).providers.b2 ?? {};
      await save(ELSEWHERE);
      const refused = { store: storeOf(await read(), location), work: 'settle' } as const;
      await deps.accounts.noteRefusal(await read(), refused, 'AccessDenied', deps.now());
      assert.equal(refusalsOf(await read(), refused)?.count, 1);
      await save(TARGET);
      assert.deepEqual((await read()).refused, {});
      assert.deepEqual(await former(), [['others', 0, 0]]);
      const again = { ...TARGET, accessKeyId: 'AKIA2222' };
      await assert.rejects(saveFormerPlace(deps, await read(), OWNER, again), {
        code: 'not_found',
      });
      const kept = async () =>
        (await deps.formerPlaces.listFormerPlaces(opened.accountId)).map(
          ({ location }) => location.bucketName,
        );
      assert.deepEqual(await kept(), ['others']);
      opened.pass(61);
      await opened.sweep();
      assert.deepEqual(await kept(), []);
    });

    it('that is kept by a change whose process died is none, and the sweep forgets it', async () => {
      const { deps, read, former, init, complete, accountId, ...opened } = await open(TARGET);
      const { fileId } = (await init()).file;
      await complete(fileId);
      const killed = () => Promise.reject(new Error('killed'));
      const dying = overriding(deps.accounts, { saveProvider: killed });
      const change = saveProvider({ ...deps, accounts: dying }, await read(), OWNER, ELSEWHERE);
      await assert.rejects(change, /killed/);
      assert.equal((await deps.formerPlaces.listFormerPlaces(accountId)).length, 1);
      assert.deepEqual(await former(), []);
      opened.pass(61);
      await opened.sweep();
      assert.deepEqual(await deps.formerPlaces.listFormerPlaces(accountId), []);
      assert.equal((await opened.get(fileId)).download?.url, 'copies AKIA0000');
    });

    it('gets new credentials', async () => {
      const { deps, save, init, complete, get, read } = await open(TARGET);
      const { fileId } = (await init()).file;
      await complete(fileId);
      await save(ELSEWHERE);
      await saveFormerPlace(deps, await read(), OWNER, { ...TARGET, accessKeyId: 'AKIA2222' });
      assert.equal((await get(fileId)).download?.url, 'copies AKIA2222');
    });

    it('keeps new credentials where a change that is late keeps it with those of before', async () => {
      const { deps, save, init, complete, get, read, ...opened } = await open(TARGET);
      const { fileId } = (await init()).file;
      await complete(fileId);
      const before = (await read()).providers.b2 ?? assert.fail();
      await save(ELSEWHERE);
      opened.pass(1);
      await saveFormerPlace(deps, await read(), OWNER, { ...TARGET, accessKeyId: 'AKIA2222' });
      const late = { ...before, since: deps.now() };
      await deps.formerPlaces.keep(opened.accountId, late, ELSEWHERE);
      assert.equal((await get(fileId)).download?.url, 'copies AKIA2222');
    });

    it('that is silent does not keep the current one', async () => {
      const { save, init, accountId, worker, ...opened } = await open(TARGET);
      const { fileId } = (await init()).file;
      await save(ELSEWHERE);
      opened.silent.add('copies');
      for (let attempt = 0; attempt < 5; attempt += 1)
        await assert.rejects(worker.settleUpload({ accountId, fileId }), { failure: 'timed_out' });
      const { fileId: other } = (await init()).file;
      assert.equal((await worker.settleUpload({ accountId, fileId: other })).status, 'active');
    });

    it('is one of fifty at most: a further one is refused and changes nothing, one of the kept may come back', async () => {
      const { deps, save, former, read, accountId } = await open(SOURCE, TARGET);
      const at = (bucketName: string) => ({ ...TARGET, bucketName });
      for (let n = 0; n < 50; n += 1) await save(at(`place-${n}`));
      const kept = async () => {
        const names = (await former()).map(([bucketName]) => String(bucketName));
        return [(await read()).providers.b2?.location.bucketName, names.length, names.toSorted()];
      };
      const full = [await read(), await deps.formerPlaces.listFormerPlaces(accountId)];
      for (const another of [ELSEWHERE, { ...SOURCE, bucketName: 'more-photos' }])
        await assert.rejects(save(another), { code: 'too_many_places' });
      assert.deepEqual([await read(), await deps.formerPlaces.listFormerPlaces(accountId)], full);
      await save({ ...at('place-49'), accessKeyId: 'AKIA2222' });

      // One goes and one comes: there are fifty as before.
      const [back] = await Promise.allSettled([save(at('copies')), save(ELSEWHERE)]);
      assert.equal(back.status, 'fulfilled');
      const names = Array.from({ length: 50 }, (_, n) => `place-${n}`).toSorted();
      assert.deepEqual(await kept(), ['copies', 50, names]);
      await assert.rejects(save(ELSEWHERE), { code: 'too_many_places' });
      await save(at('place-7'));
      const others = [...names.filter((name) => name !== 'place-7'), 'copies'].toSorted();
      assert.deepEqual(await kept(), ['place-7', 50, others]);
    });

    it('is forgotten with its provider; its files are read again once it is configured again', async () => {
      const { deps, save, init, complete, get, read, ...opened } = await open(TARGET);
      const { fileId } = (await init()).file;
      await save(SOURCE);
      await save({ ...SOURCE, bucketName: 'more-photos' });
      await save(ELSEWHERE);
      await save({ ...TARGET, bucketName: 'third' });
      const remove = async () => removeProvider(deps, await read(), OWNER, 'b2');
      await assert.rejects(remove(), { code: 'provider_in_use' });
      await complete(fileId);
      await remove();
      const kept = await deps.formerPlaces.listFormerPlaces(opened.accountId);
      assert.deepEqual(
        kept.map(({ location }) => location.bucketName),
        ['photos'],
        'of the other provider',
      );
      await assert.rejects(get(fileId), { code: 'provider_not_configured' });
      await save(ELSEWHERE);
      await assert.rejects(get(fileId), { code: 'provider_not_configured' });
      await save({ ...TARGET, accessKeyId: 'AKIA2222' });
      assert.equal((await get(fileId)).download?.url, 'copies AKIA2222');
    });

    it('is needed, and its provider in use, by what was connected, approved or is checked there until it has ended', async () => {
      const { deps, save, read, former, approve, accountId, ...opened } = await open(
        SOURCE,
        TARGET,
      );
      const { connections, recommendations, migrations, releases } = deps;
      const isNeeded = async (what: string) => {
        opened.pass(3_600);
        await opened.sweep();
        assert.deepEqual(await former(), [['copies', 0, 0]], what);
        await assert.rejects(
          removeProvider(deps, await read(), OWNER, 'b2'),
          { code: 'provider_in_use' },
          what,
        );
      };
      const { recommendationId: migrationId, cloudAccountId } = await approve();
      const connectionId = await opened.connect();
      await save(ELSEWHERE);
      await isNeeded('both');
      await connections.removeConnection({ connectionId, accountId });
      await isNeeded('the approved migration');
      const at = deps.now();
      const times = { asOf: at, approvedAt: at, startedAt: at };
      await migrations.openMigration({ migrationId, accountId, cloudAccountId, ...times });
      await isNeeded('the migration that runs');
      const releaseId = randomUUID();
      const begun = { startedBy: 'owner', startedByName: 'Olga Owner', requestedAt: at, round: 1 };
      const activity = activityOf(accountId, 'release.checked', migrationId);
      await releases.begin({ ...begun, releaseId, migrationId, accountId }, activity);
      const end = { status: 'completed', error: null, counts: NO_COUNTS } as const;
      await migrations.end({ migrationId, round: 1 }, end, at, []);
      await recommendations.clearHasWorkflow(migrationId);
      await isNeeded('the check of the release');
      await releases.end(releaseId, { status: 'not_ready', versioned: null, error: null }, at);
      await removeProvider(deps, await read(), OWNER, 'b2');
      assert.deepEqual(await deps.formerPlaces.listFormerPlaces(accountId), []);
    });

    it('is kept by the connection alone, and forgotten once another place is connected', async () => {
      const { deps, save, read, former, connect, ...opened } = await open(TARGET);
      const swept = async () => {
        opened.pass(3_600);
        await opened.sweep();
        return (await former()).map(([bucketName]) => bucketName);
      };
      await connect();
      await save(ELSEWHERE);
      assert.deepEqual(await swept(), ['copies']);
      await assert.rejects(removeProvider(deps, await read(), OWNER, 'b2'), {
        code: 'provider_in_use',
      });
      await connect();
      assert.deepEqual(await swept(), []);
    });
  });
});
