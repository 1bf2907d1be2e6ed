import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Service } from '../../dev/service.ts';
import { createCustomer, type Customer } from '../harness/customer.ts';
import { readUsage } from '../harness/process-usage.ts';
import { assertServedDuring, latenciesDuring } from '../harness/tenant-latency.ts';
import { startIsolatedService } from '../servers.ts';

const SECONDS = 4;
const MOST_MEMORY_BYTES = 400 * 2 ** 20;

/** Requests of a caller without a credential, and how many of them are sent ahead on a connection. */
const FLOODS: Readonly<Record<string, { path: string; requests: number }>> = {
  '300 unread calls of /health on each connection': { path: '/health', requests: 300 },
  '300 unread calls of /ready on each connection': { path: '/ready', requests: 300 },
  '300 unread calls of /openapi.json on each connection': { path: '/openapi.json', requests: 300 },
  'unread calls of /docs': { path: '/docs', requests: 16 },
  'unread calls of /dashboard': { path: '/dashboard', requests: 300 },
  'queries of 7,500 empty parameters': { path: `/health?${'&'.repeat(7_500)}`, requests: 16 },
  'unknown paths': { path: '/nowhere', requests: 300 },
  'calls without a key': { path: '/v1/me', requests: 300 },
};

/** The share of an API process that anyone can take, seen by a tenant who calls meanwhile. */
describe('a tenant', () => {
  let service: Service;
  let customer: Customer;
  before(async () => {
    const isolated = await startIsolatedService({
      workerCount: 0,
      environment: { LOG_LEVEL: 'warn', RATE_LIMIT_KEY: '100000' },
    });
    ({ service } = isolated);
    customer = await createCustomer(isolated.stack, service.baseUrl, []);
    await latenciesDuring(customer, wait(1_000));
  });
  after(() => service?.stop());

  const flood = (path: string, requests: number) =>
    promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', join(import.meta.dirname, 'flood-fixtures', 'flood.ts')],
      {
        env: {
          ...process.env,
          PORT: new URL(service.baseUrl).port,
          PATH_AND_QUERY: path,
          CONNECTIONS: '100',
          REQUESTS: String(requests),
          SECONDS: String(SECONDS),
        },
      },
    );

  for (const [what, { path, requests }] of Object.entries(FLOODS)) {
    it(`is served while 100 connections bring ${what}`, async () => {
      await assertServedDuring(customer, () => flood(path, requests));
      const { bytes } = await readUsage(service.apis[0]?.pid ?? 0);
      assert.ok(bytes < MOST_MEMORY_BYTES, `${Math.round(bytes / 2 ** 20)} MiB`);
    });
  }
});
