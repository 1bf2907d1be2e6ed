import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DeleteBucketCorsCommand, type CORSRule } from '@aws-sdk/client-s3';
import type { Page } from 'playwright-core';
import type { Provider, StorageRoutingClient } from '../../sdk/src/index.ts';
import { startIsolatedService } from '../servers.ts';
import { describeInBrowser } from './browser-suite.ts';
import { openExample, slowDown } from './example-page.ts';
import { allowUploads } from './own-bucket.ts';
import type { Visitor } from './visitor.ts';

const repository = new URL('../../', import.meta.url);
const GUIDE_ORIGIN = 'https://app.example.com';
const MB = 1_000_000;

/** The rule of a store in the guide. The local store of b2 takes S3's format only. */
const guideRules: Record<Provider, (guide: string) => CORSRule[]> = {
  aws: (guide) =>
    (between(guide, "--cors-configuration '", "'") as { CORSRules: CORSRule[] }).CORSRules,
  r2: (guide) => between(guide, '```json\n', '```') as CORSRule[],
  b2: (guide) =>
    (between(guide, "--cors-rules '", "'") as Record<string, string[]>[]).map((rule) => ({
      AllowedOrigins: rule['allowedOrigins'],
      AllowedMethods: rule['allowedOperations']?.map((name) => name.slice(3).toUpperCase()),
      AllowedHeaders: rule['allowedHeaders'],
      ExposeHeaders: rule['exposeHeaders'],
    })),
};

function between(text: string, start: string, end: string): unknown {
  const [, rest = assert.fail(start)] = text.split(start);
  return JSON.parse(rest.slice(0, rest.indexOf(end)));
}

const start = () => startIsolatedService({ environment: { DEFAULT_PLAN: 'growth' } });

describeInBrowser('the example of a page that uploads, in a browser', start, (suite) => {
  let guide: string;
  before(async () => {
    guide = await readFile(new URL('docs/guides/browser-uploads.md', repository), 'utf8');
    await promisify(execFile)('npm', ['run', '--silent', 'build', '-w', 'sdk'], {
      cwd: fileURLToPath(repository),
    });
  });

  for (const provider of ['aws', 'r2', 'b2'] as const)
    describe(`with a bucket of ${provider}`, () => {
      let close: () => void;
      let pageUrl: string;
      let client: StorageRoutingClient;
      let apiKey: string;
      let bucket: Awaited<ReturnType<typeof openExample>>['bucket'];
      let visitor: Visitor;

      before(async () => {
        const program = 'sdk/examples/page-upload/server.js';
        const example = await openExample(suite, program, provider);
        ({ bucket, client, apiKey, pageUrl, close } = example);
      });
      after(() => close());
      beforeEach(async () => {
        visitor = await suite.visit({ api: pageUrl, issuer: pageUrl, store: bucket.endpoint });
        await visitor.page.goto(pageUrl);
      });

      const allow = async (): Promise<void> => {
        const rules = JSON.stringify((guideRules[provider] ?? assert.fail())(guide));
        const ours = JSON.parse(rules.replaceAll(GUIDE_ORIGIN, pageUrl)) as CORSRule[];
        await allowUploads(bucket.s3, bucket.place.bucketName, pageUrl, ours);
      };

      it("stores a file by the guide's rule, with progress; the page never sees the key", async () => {
        await allow();
        const { page } = visitor;
        const requests: string[] = [];
        page.on('request', (request) => {
          requests.push(`${request.url()} ${JSON.stringify(request.headers())}`);
        });
        const seen: string[] = [];
        page.on('response', async (response) => {
          if (response.url().startsWith(pageUrl)) seen.push(await response.text().catch(() => ''));
        });
        await page.reload();
        await slowDown(page, 8 * MB);
        await watchBar(page);
        const bytes = randomBytes(4 * MB);
        await choose(page, bytes);
        const outcome = await outcomeOf(page);
        const [, fileId = ''] = /^stored: ([\w-]+)$/.exec(outcome) ?? [];
        const { status, contentType, provider: store } = await client.getFile(fileId);
        assert.deepEqual([status, contentType, store], ['active', 'video/mp4', provider]);
        const { body } = await client.download(fileId);
        const stored = Buffer.from(await new Response(body).arrayBuffer());
        assert.ok(stored.equals(bytes));
        const values = await page.evaluate<number[]>('values');
        const between = values.filter((value) => value > 0 && value < 1);
        assert.ok(between.length >= 2, `only ${values.join(', ')}`);
        assert.deepEqual(
          values,
          values.toSorted((one, other) => one - other),
        );
        assert.equal(values.at(-1), 1);
        assert.ok(![...requests, ...seen].some((text) => text.includes(apiKey)));
        assert.ok(!requests.some((text) => text.includes('"authorization"')));
        await visitor.leave();
      });

      it('says in words that the file did not arrive where the bucket has no rule', async () => {
        await bucket.s3.send(new DeleteBucketCorsCommand({ Bucket: bucket.place.bucketName }));
        const { page } = visitor;
        await choose(page, randomBytes(1000));
        assert.match(await outcomeOf(page), /^failed: .*409/);
        await visitor.leave(/CORS|Failed to load resource/);
      });

      it('stops in the middle; nothing is stored', async () => {
        await allow();
        const { page } = visitor;
        await slowDown(page, MB);
        await choose(page, randomBytes(20 * MB));
        await page.waitForFunction('document.querySelector("#bar").value > 0');
        await page.getByRole('button', { name: 'Stop' }).click();
        assert.match(await outcomeOf(page), /^failed: .*aborted/);
        const { items } = await client.analytics.routingHistory({ limit: 1 });
        assert.equal(items[0]?.status, 'pending');
        // versitygw keeps what has arrived if the browser closes with FIN, and nothing at RST.
        const codes = [
          'file_not_on_provider',
          ...(provider === 'aws' ? [] : ['file_size_mismatch']),
        ];
        const refusal = await client.complete(items[0]?.fileId ?? '').catch((error) => error);
        assert.ok(codes.includes(refusal.code), String(refusal));
        await visitor.leave();
      });
    });
});

async function watchBar(page: Page): Promise<void> {
  await page.evaluate(
    `globalThis.values = [];
     new MutationObserver(() => values.push(document.querySelector('#bar').value))
       .observe(document.querySelector('#bar'), { attributes: true });`,
  );
}

async function choose(page: Page, buffer: Buffer): Promise<void> {
  await page.getByLabel('File').setInputFiles({ name: 'film.mp4', mimeType: 'video/mp4', buffer });
}

async function outcomeOf(page: Page): Promise<string> {
  const outcome = page.locator('#outcome', { hasText: /^(stored|failed)/ });
  return await outcome.innerText();
}
