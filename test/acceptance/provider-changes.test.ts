import assert from 'node:assert/strict';
import { putAsTold } from './store.ts';
import { PROVIDERS, storeAccess, type Provider } from './target.ts';
import { one, wrongSecret } from './tenant.ts';
import { bodyOf, call, requireRefusal, type Answer, type ErrorBody } from './wire.ts';

const BODY = Buffer.from('hello world');
const remove = (name: string) =>
  call('DELETE', `/v1/providers/${name}`, { token: one.dashboard() });
const start = () => one.start({ fileSizeBytes: BODY.length });
const active = () => one.active(BODY);
const bucket = { bucketName: 'another-bucket' };
const unknownKey = (provider: Provider) => ({
  ...storeAccess(provider),
  accessKeyId: `AK${crypto.randomUUID().slice(0, 18)}`,
});

/** Other places than the stored one. */
const ELSEWHERE: Readonly<Record<Provider, readonly object[]>> = {
  aws: [bucket, { region: 'eu-west-3' }],
  b2: [bucket, { region: 'eu-central-009' }],
  r2: [bucket, { accountId: 'f'.repeat(32) }, { jurisdiction: 'eu' }],
};

interface FormerPlace {
  readonly bucketName: string;
  readonly files: number;
  readonly bytes: number;
}

const formerPlaces = async () => {
  const answer = await call('GET', '/v1/providers', { token: one.dashboard() });
  const { items } = answer.json() as { items: readonly { formerPlaces: readonly FormerPlace[] }[] };
  return items.flatMap((item) => item.formerPlaces);
};
const requireRead = async (fileId: string) => {
  const { downloadUrl } = await one.file(fileId);
  assert.equal(await (await fetch(downloadUrl ?? '')).text(), BODY.toString());
};
const requireAgain = (first: Answer, again: Answer) =>
  assert.deepEqual([again.status, again.text], [200, first.text]);

describe('A provider with a pending file', () => {
  afterEach(async () => {
    await one.clear();
    await one.configure();
  });

  for (const provider of PROVIDERS) {
    it(`gets another place at any time, and the file is completed and read where it began: ${provider}`, async () => {
      await one.configure(provider);
      const started = await start();
      for (const change of ELSEWHERE[provider])
        bodyOf(await one.save({ ...storeAccess(provider), ...change }), 200);
      assert.deepEqual(
        (await formerPlaces()).map(({ bucketName, files, bytes }) => [bucketName, files, bytes])[0],
        [storeAccess(provider).bucketName, 1, BODY.length],
      );
      requireRefusal(await remove(provider), 409, 'provider_in_use');
      await putAsTold(started, BODY);
      await one.completed(started.fileId);
      await requireRead(started.fileId);
      bodyOf(await one.delete(started.fileId), 200);
      assert.equal((await remove(provider)).status, 204);
    });
  }

  it('does not restrict the other providers', async () => {
    await one.configure('aws', 'r2', 'b2');
    assert.equal((await start()).provider, 'r2');
    assert.equal((await remove('aws')).status, 204);
    bodyOf(await one.save({ ...storeAccess('b2'), ...bucket }), 200);
  });
});

describe('A provider with wrong credentials', () => {
  for (const [provider, what, wrong] of [
    ['aws', 'a wrong secret', wrongSecret],
    ['aws', 'an unknown key', unknownKey],
    ['r2', 'a wrong secret', wrongSecret],
  ] as const)
    it(`(${what} for ${provider}) refuses, with its name and the reason; the object is neither missing nor deleted`, async () => {
      await one.configure(provider);
      const [waiting, kept] = [await start(), await active()];
      await putAsTold(waiting, BODY);
      const completed = await one.complete(kept.fileId);
      const { downloadUrl } = await one.file(kept.fileId);
      bodyOf(await one.save(wrong(provider)), 200);
      const answer = await one.complete(waiting.fileId);
      requireRefusal(answer, 502, 'provider_error');
      const { error } = answer.json() as ErrorBody;
      assert.match(error, new RegExp(`\\b${provider}\\b`, 'i'));
      assert.match(error, /credential|permi|denied|refus/i);
      assert.doesNotMatch(error, /Signature|<\?xml|https?:/);
      assert.equal((await one.file(waiting.fileId)).status, 'pending');
      requireAgain(completed, await one.complete(kept.fileId));
      bodyOf(await one.delete(kept.fileId), 202);
      // The URL was signed before, and still works: the object has to be there.
      assert.equal((await fetch(downloadUrl ?? '')).status, 200);
      bodyOf(await one.save(storeAccess(provider)), 200);
      await one.completed(waiting.fileId);
      await one.clear();
    });
});

describe('A file whose provider was removed', () => {
  beforeEach(() => one.configure('r2'));
  afterEach(async () => {
    await one.configure('r2');
    await one.clear();
  });

  it('can be neither read nor deleted until the provider is configured again; earlier answers are repeated', async () => {
    const [{ fileId }, gone] = [await active(), await active()];
    const [completed, deleted] = [await one.complete(fileId), await one.delete(gone.fileId)];
    assert.equal((await remove('r2')).status, 204);
    requireRefusal(await one.get(fileId), 400, 'provider_not_configured');
    requireRefusal(await one.delete(fileId), 400, 'provider_not_configured');
    requireAgain(completed, await one.complete(fileId));
    requireAgain(deleted, await one.delete(gone.fileId));
    await one.configure('r2');
    await requireRead(fileId);
    bodyOf(await one.delete(fileId), 200);
  });

  it('is read from its original bucket after the provider has changed', async () => {
    const { fileId } = await active();
    bodyOf(await one.save({ ...storeAccess('r2'), ...bucket }), 200);
    await requireRead(fileId);
    bodyOf(await one.delete(fileId), 200);
  });
});
