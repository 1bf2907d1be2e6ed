import assert from 'node:assert/strict';
import { putAsTold } from './store.ts';
import { PROVIDERS, storeAccess, type Provider } from './target.ts';
import { one, wrongSecret, type Started } from './tenant.ts';
import { bodyOf, call, requireRefusal, type ErrorBody } from './wire.ts';

const BODY = Buffer.from('hello world');
const remove = (name: string) =>
  call('DELETE', `/v1/providers/${name}`, { token: one.dashboard() });
const start = () => one.start({ fileSizeBytes: BODY.length });

async function active(): Promise<Started> {
  const started = await start();
  await putAsTold(started, BODY);
  await one.completed(started.fileId);
  return started;
}

describe('A provider with a pending file', () => {
  afterEach(async () => {
    await one.clear();
    await one.configure();
  });

  for (const provider of PROVIDERS) {
    it(`cannot change its place or be removed until the file is settled: ${provider}`, async () => {
      await one.configure(provider);
      const { fileId } = await start();
      for (const change of elsewhere(provider))
        requireRefusal(
          await one.save({ ...storeAccess(provider), ...change }),
          409,
          'provider_in_use',
        );
      requireRefusal(await remove(provider), 409, 'provider_in_use');
      requireRefusal(await one.complete(fileId), 409, 'file_not_on_provider');

      bodyOf(await one.delete(fileId), 200);
      assert.equal((await remove(provider)).status, 204);
    });
  }

  it('can be removed once the file is active', async () => {
    await one.configure('r2');
    await active();
    assert.equal((await remove('r2')).status, 204);
    await one.configure('r2');
  });

  it('accepts new credentials for the same bucket, and uses them', async () => {
    await one.configure('r2');
    const started = await start();
    bodyOf(await one.save(wrongSecret('r2')), 200);
    bodyOf(await one.save(storeAccess('r2')), 200);
    await putAsTold(started, BODY);
    await one.completed(started.fileId);
  });

  it('does not restrict the other providers', async () => {
    await one.configure('aws', 'r2', 'b2');
    assert.equal((await start()).provider, 'r2');
    assert.equal((await remove('aws')).status, 204);
    bodyOf(await one.save({ ...storeAccess('b2'), bucketName: 'another-bucket' }), 200);
  });
});

describe('A provider with wrong credentials', () => {
  beforeEach(() => one.configure('r2'));
  afterEach(async () => {
    bodyOf(await one.save(storeAccess('r2')), 200);
    await one.clear();
  });

  it('fails complete with a provider_error that names provider and reason', async () => {
    const { fileId } = await start();
    bodyOf(await one.save(wrongSecret('r2')), 200);
    for (let times = 0; times < 3; times += 1) {
      const answer = await one.complete(fileId);
      requireRefusal(answer, 502, 'provider_error');
      const { error } = answer.json() as ErrorBody;
      assert.match(error, /\br2\b/i);
      assert.match(error, /credential|permi|denied|refus/i);
      assert.doesNotMatch(error, /Signature|<\?xml|https?:/);
    }
  });

  it('leaves the file pending, and complete succeeds with correct credentials', async () => {
    const started = await start();
    await putAsTold(started, BODY);
    bodyOf(await one.save(wrongSecret('r2')), 200);
    requireRefusal(await one.complete(started.fileId), 502, 'provider_error');
    assert.equal((await one.file(started.fileId)).status, 'pending');
    bodyOf(await one.save(storeAccess('r2')), 200);
    await one.completed(started.fileId);
  });

  it('does not affect complete of an active file', async () => {
    const { fileId } = await active();
    const first = await one.complete(fileId);
    bodyOf(await one.save(wrongSecret('r2')), 200);
    const again = await one.complete(fileId);
    assert.deepEqual([again.status, again.text], [200, first.text]);
  });
});

describe('A provider with an access key that is unknown to the store', () => {
  before(() => one.configure('r2'));
  after(async () => {
    bodyOf(await one.save(storeAccess('r2')), 200);
    await one.clear();
  });

  it('fails complete with a provider_error, not with a missing object', async () => {
    const { fileId } = await start();
    const unknown = { ...storeAccess('r2'), accessKeyId: `AK${crypto.randomUUID().slice(0, 18)}` };
    bodyOf(await one.save(unknown), 200);
    requireRefusal(await one.complete(fileId), 502, 'provider_error');
  });
});

describe('A file whose provider was removed', () => {
  beforeEach(() => one.configure('r2'));
  afterEach(async () => {
    await one.configure('r2');
    await one.clear();
  });

  it('can be neither read nor deleted until the provider is configured again', async () => {
    const { fileId } = await active();
    assert.equal((await remove('r2')).status, 204);
    requireRefusal(await one.get(fileId), 400, 'provider_not_configured');
    requireRefusal(await one.delete(fileId), 400, 'provider_not_configured');
    await one.configure('r2');
    const { downloadUrl } = await one.file(fileId);
    assert.equal(await (await fetch(downloadUrl ?? '')).text(), BODY.toString());
    bodyOf(await one.delete(fileId), 200);
  });

  it('is read from its original bucket after the provider has changed', async () => {
    const { fileId } = await active();
    bodyOf(await one.save({ ...storeAccess('r2'), bucketName: 'another-bucket' }), 200);
    const { downloadUrl } = await one.file(fileId);
    assert.equal(await (await fetch(downloadUrl ?? '')).text(), BODY.toString());
    bodyOf(await one.delete(fileId), 200);
  });

  it('repeats the answers of an earlier complete or delete', async () => {
    const [kept, deleted] = [await active(), await active()];
    const completed = await one.complete(kept.fileId);
    const gone = await one.delete(deleted.fileId);
    bodyOf(gone, 200);
    assert.equal((await remove('r2')).status, 204);
    const again = await one.complete(kept.fileId);
    assert.deepEqual([again.status, again.text], [200, completed.text]);
    const goneAgain = await one.delete(deleted.fileId);
    assert.deepEqual([goneAgain.status, goneAgain.text], [200, gone.text]);
  });
});

/** Other locations than the stored one; each of them would lose the pending file. */
function elsewhere(provider: Provider): object[] {
  const bucket = { bucketName: 'another-bucket' };
  switch (provider) {
    case 'aws':
      return [bucket, { region: 'eu-west-3' }];
    case 'b2':
      return [bucket, { region: 'eu-central-009' }];
    case 'r2':
      return [bucket, { accountId: 'another-account' }, { jurisdiction: 'eu' }];
  }
}
