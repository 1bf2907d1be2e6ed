import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { createClient, type Provider } from '../../sdk/src/index.ts';
import type { BrowserSuite } from './browser-suite.ts';
import { createOwnBucket } from './own-bucket.ts';

/** An account with a bucket of its own, and the server of an example as a user starts it. */
export async function openExample(
  { stack, service: { baseUrl } }: BrowserSuite,
  program: string,
  provider: Provider,
) {
  const bucket = await createOwnBucket(stack, provider);
  const dashboardToken = stack.identity?.issueToken({ account: `page-${randomUUID()}` });
  const { apiKey } = await createClient({ baseUrl, dashboardToken }).apiKey.regenerate();
  const client = createClient({ baseUrl, dashboardToken, apiKey });
  await client.providers.save(bucket.place);
  const [server, pageUrl] = await startExample(program, baseUrl, apiKey);
  const close = (): void => {
    server.kill();
    bucket.s3.destroy();
  };
  return { bucket, client, apiKey, pageUrl, close };
}

/** The server of an example, and its address. */
async function startExample(
  path: string,
  baseUrl: string,
  apiKey: string,
): Promise<[ChildProcess, string]> {
  const program = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const server = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], SRS_BASE_URL: baseUrl, SRS_API_KEY: apiKey, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: server.stdout ?? assert.fail() })) {
    return [server, line];
  }
  assert.fail('the example has not started');
}

/** Otherwise a local store takes everything before the first progress is reported. */
export async function slowDown(page: Page, bytesPerSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  });
}
