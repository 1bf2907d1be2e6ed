import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DeleteBucketCorsCommand } from '@aws-sdk/client-s3';
import type { Locator, Page, Request } from 'playwright-core';
import type { StorageRoutingClient } from '../../sdk/src/index.ts';
import { startIsolatedService } from '../servers.ts';
import { describeInBrowser } from './browser-suite.ts';
import { openExample } from './example-page.ts';
import { allowUploads } from './own-bucket.ts';
import type { Visitor } from './visitor.ts';

const MB = 1_000_000;
const MIB = 1024 * 1024;
const start = () => startIsolatedService({ environment: { DEFAULT_PLAN: 'growth' } });

interface Chosen {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

const fileOf = (name: string, sizeBytes: number): Chosen => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: randomBytes(sizeBytes),
});

/** `useUpload` in the page of `react/examples/page`. */
describeInBrowser('the example of a React page that uploads, in a browser', start, (suite) => {
  let close: () => void;
  let pageUrl: string;
  let client: StorageRoutingClient;
  let apiKey: string;
  let bucket: Awaited<ReturnType<typeof openExample>>['bucket'];
  let visitor: Visitor;
  let page: Page;
  let puts: Request[];

  before(async () => {
    await promisify(execFile)('npm', ['run', '--silent', 'example', '-w', 'react'], {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      // The build of React that mounts twice in StrictMode, and that warns.
      env: { ...process.env, NODE_ENV: 'development' },
    });
    const example = await openExample(suite, 'react/examples/page/server.js', 'r2');
    ({ bucket, client, apiKey, pageUrl, close } = example);
    await allowUploads(bucket.s3, bucket.place.bucketName, pageUrl);
  });
  after(() => close());
  beforeEach(async () => {
    visitor = await suite.visit({ api: pageUrl, issuer: pageUrl, store: bucket.endpoint });
    ({ page } = visitor);
    puts = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') puts.push(request);
    });
    await page.goto(pageUrl);
  });

  const choose = (...files: Chosen[]) => page.getByLabel('Choose files').setInputFiles(files);
  const rows = () => page.getByRole('listitem');
  const rowOf = (name: string) => rows().filter({ hasText: name });
  const button = (row: Locator | Page, name: string) =>
    row.getByRole('button', { name, exact: true });
  const until = (text: string, where: Locator = page.locator('output')) =>
    where.filter({ hasText: text }).first().waitFor();
  /** Each file is stored once, with its bytes; files that were only started do not count. */
  const holds = async (...files: Chosen[]): Promise<void> => {
    for (const { name, buffer } of files) {
      const active: Buffer[] = [];
      for await (const { fileId, fileName, status } of client.analytics.routingHistory()) {
        if (fileName !== name || status !== 'active') continue;
        const { body } = await client.download(fileId);
        active.push(Buffer.from(await new Response(body).arrayBuffer()));
      }
      assert.deepEqual(
        active.map((bytes) => bytes.equals(buffer)),
        [true],
        name,
      );
    }
  };

  it('stores several files at once, one of them in parts and one empty; keys stay away', async () => {
    const seen: string[] = [];
    page.on('request', (request) => seen.push(request.url(), JSON.stringify(request.headers())));
    page.on('response', async (response) => {
      if (response.url().startsWith(pageUrl)) seen.push(await response.text().catch(() => ''));
    });
    await page.reload();
    const files = [fileOf('film.mp4', 20 * MIB), fileOf('empty.txt', 0), fileOf('note.txt', 500)];
    await choose(...files);
    await until('done, 100 %');
    assert.equal(await rows().filter({ hasText: 'done, 100 %' }).count(), 3);
    await holds(...files);
    assert.equal(puts.length, 3 + 2);
    assert.ok(!seen.some((text) => text.includes(apiKey) || text.includes('"authorization"')));
    await visitor.checkAccessibility('the list of uploads');
    await visitor.leave();
  });

  it('keeps files of the same name apart', async () => {
    const [one, other] = [fileOf('same.txt', 1_000), fileOf('same.txt', 2_000)];
    await choose(one, other);
    await until('done, 100 %');
    assert.equal(await rows().count(), 2);
    const { items } = await client.analytics.routingHistory({ limit: 2 });
    const names = items.map(({ fileName }) => fileName);
    assert.deepEqual(names, ['same.txt', 'same.txt']);
    await visitor.leave();
  });

  it('cancels one file, and resumes it with the parts that the store does not have', async () => {
    // Two parts of four arrive, and no other one before the cancel.
    const pass = await holdPuts(page, 2);
    const file = fileOf('talk.mp4', 30 * MIB);
    await choose(file);
    await page.waitForFunction('document.querySelector("li progress").value > 0.53');
    await Promise.all(puts.slice(0, 2).map((put) => put.response()));
    await button(rowOf('talk.mp4'), 'Cancel').click();
    await until('cancelled', rowOf('talk.mp4'));
    await until('cancelled');
    await pass();
    const before = puts.length;
    await button(rowOf('talk.mp4'), 'Resume').dblclick();
    await until('done, 100 %');
    await holds(file);
    assert.ok(puts.length - before < 4, `${puts.length - before} parts were sent again`);
    assert.equal(await rows().count(), 1);
    await visitor.leave();
  });

  it('cancels and resumes all files, those that wait too', async () => {
    const pass = await holdPuts(page, 0);
    const files = [1, 2, 3, 4, 5].map((each) => fileOf(`${each}.bin`, 2 * MB));
    await choose(...files);
    await until('waiting', rowOf('5.bin'));
    await button(page, 'Cancel all').click();
    await until('cancelled');
    assert.equal(await rows().filter({ hasText: 'cancelled' }).count(), 5);
    await pass();
    await button(page, 'Resume all').click();
    await until('done, 100 %');
    await holds(...files);
    await visitor.leave();
  });

  it('shows what the server refuses, and only completes again what is stored', async () => {
    let refusals = 1;
    await page.route('**/complete', async (route) => {
      refusals -= 1;
      if (refusals < 0) return await route.continue();
      const body = JSON.stringify({ code: 'unavailable', error: 'the service is away' });
      await route.fulfill({ status: 503, body });
    });
    const file = fileOf('reply.txt', 5_000);
    await choose(file);
    await until('the service is away', rowOf('reply.txt'));
    await until('error, 100 %');
    assert.match(await page.getByRole('alert').innerText(), /Not every file/);
    await button(rowOf('reply.txt'), 'Resume').click();
    await until('done, 100 %');
    assert.equal(puts.length, 1);
    assert.equal(await page.getByRole('alert').count(), 0);
    await holds(file);
    await visitor.leave(/status of 503/);
  });

  it('shows a failure of the store, and resumes with another URL', async () => {
    await bucket.s3.send(new DeleteBucketCorsCommand({ Bucket: bucket.place.bucketName }));
    const file = fileOf('letter.txt', 5_000);
    await choose(file);
    await until('error', rowOf('letter.txt'));
    await allowUploads(bucket.s3, bucket.place.bucketName, pageUrl);
    await button(rowOf('letter.txt'), 'Resume').click();
    await until('done, 100 %');
    await holds(file);
    await button(rowOf('letter.txt'), 'Remove').click();
    await until('idle, 0 %');
    await visitor.leave(/CORS|Failed to load resource/);
  });
});

/** Holds all PUTs to the store but the first, until the returned function is called. */
async function holdPuts(page: Page, passed: number): Promise<() => Promise<void>> {
  const isStore = (url: URL) => url.searchParams.has('X-Amz-Signature');
  let seen = 0;
  await page.route(isStore, async (route) => {
    if (route.request().method() === 'PUT' && (seen += 1) > passed) return;
    await route.continue();
  });
  return () => page.unroute(isStore);
}
