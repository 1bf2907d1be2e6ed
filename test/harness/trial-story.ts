import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ListMultipartUploadsCommand,
  PutBucketLifecycleConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { SAMPLE_REGIONS } from '../../dev/sample-account.ts';
import { STACK_STORES } from '../../dev/parts/stores.ts';
import { createClient, type StorageRoutingClient } from '../../sdk/src/index.ts';
import { isolatedServers } from '../servers.ts';
import { isSoon } from '../../dev/system/probes.ts';
import type { Stack } from '../../dev/stack.ts';
import { readQueries, type Query } from './deploy-files.ts';
import { parseSeries, selectorsOf, type Series } from './promql.ts';
import { openTemporalClient } from './temporal.ts';
import { startTrial, type Trial } from './trial.ts';
import { ROOT } from '../unit/deployment/compose.ts';

const ANYONE = 0o077;
/** Of Prometheus itself. */
const OWN = new Set(['up']);
/** Temporal's library counts these from the first failure on. */
const AFTER_FAILURES = [
  'temporal_activity_execution_failed',
  'temporal_workflow_task_execution_failed',
];
/** Their values depend on what has happened so far. */
const HAPPENED = new Set(['status', 'route']);
const EXPOSED_WITHIN_MS = 30_000;

/** The selectors without a series, or with a label that its series do not have. */
function missingFor(queries: readonly Query[], series: readonly Series[]): readonly string[] {
  const missing: string[] = [];
  for (const { at, expression } of queries)
    for (const { metric, matchers } of selectorsOf(expression)) {
      if (OWN.has(metric) || AFTER_FAILURES.includes(metric)) continue;
      const known = matchers.filter(({ label }) => !HAPPENED.has(label));
      const found = series.filter(
        ({ metric: name, labels }) =>
          name === metric && known.every(({ label, matches }) => matches(labels[label] ?? '')),
      );
      const isWhole = matchers.every(({ label }) => found.some(({ labels }) => label in labels));
      if (found.length === 0 || !isWhole) missing.push(`${at}: ${expression}`);
    }
  return missing;
}

/**
 * What a trial promises.
 *
 * @param prepare gives the stack whose processes the trial starts; the folder has its volumes
 */
export function itKeepsItsPromises(
  prepare: (stack: Stack, folder: string) => Promise<Stack> | Stack = (stack) => stack,
): void {
  let folder: string;
  let stack: Stack;
  let trial: Trial;
  let client: StorageRoutingClient;
  let printed: Readonly<Record<string, string>>;
  let role: { readonly roleArn: string; readonly externalId: string };
  const read = (name: string) => printed[name] ?? assert.fail(`${name} was not printed`);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trial-'));
    stack = await prepare(await isolatedServers(), folder);
    trial = await startTrial(stack, folder);
    ({ client, role } = await open());
  });
  after(async () => {
    await trial?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function open() {
    printed = await trial.exports();
    return {
      client: createClient({
        baseUrl: read('API'),
        apiKey: read('KEY'),
        dashboardToken: read('TOKEN'),
      }),
      role: { roleArn: read('CUSTOMER_ROLE_ARN'), externalId: read('CUSTOMER_EXTERNAL_ID') },
    };
  }

  it('has a store for each provider', async () => {
    for (const [priority, provider] of [
      ['hot', 'r2'],
      ['archive', 'b2'],
    ] as const) {
      const source = new Uint8Array(1000);
      const { fileId } = await client.upload({ source, fileName: 'a.bin', priority });
      const { status, routing } = await client.getFile(fileId);
      assert.deepEqual([status, routing.provider], ['active', provider]);
    }
    const origin = `http://localhost:${new URL(read('API')).port}`;
    for (const provider of STACK_STORES)
      assert.ok(
        (await client.providers.test(provider, { origin })).ok,
        `${provider}, from the page`,
      );
  });

  it('audits the sample account, and moves its small bucket', async () => {
    const { connectionId } = await client.scanner.connect({ ...role, regions: SAMPLE_REGIONS });
    const { scanId } = await client.scanner.start(connectionId);
    const scan = await client.scanner.waitFor(scanId, { pollMs: 500 });
    assert.equal(scan.decisionReport?.verdict, 'migrate_partly');
    assert.ok((scan.summary?.currentMonthlyCostUsd ?? 0) > 1_000, 'a company of some years');
    const moves = scan.recommendations.filter(({ kind }) => kind === 'move');
    const isTooLarge = ({ blockers }: (typeof moves)[number]) =>
      blockers.some(({ code }) => code === 'too_large_here');
    const small = moves.filter((each) => !isTooLarge(each));
    assert.ok(small.length >= 3 && small.length < moves.length);
    assert.ok(small.reduce((sum, { bytes }) => sum + bytes, 0) < 5e9, 'all of them fit the disk');
    const move = small.find(({ bucket }) => bucket === 'acme-press');
    assert.ok(move?.recommendedProvider);
    const { migrationId } = await client.migrations.approve(move.recommendationId, {
      targetProvider: move.recommendedProvider,
    });
    const { status } = await client.migrations.waitFor(migrationId, { pollMs: 500 });
    assert.equal(status, 'completed');
  });

  it('has an owner of the sample account, whose lifecycle rules are carried out', async () => {
    const s3 = new S3Client({
      endpoint: read('CUSTOMER_S3_ENDPOINT'),
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: {
        accessKeyId: read('CUSTOMER_ACCESS_KEY_ID'),
        secretAccessKey: read('CUSTOMER_SECRET_ACCESS_KEY'),
      },
    });
    const Bucket = 'acme-logs';
    const countUploads = async () => {
      const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
      return Uploads.length;
    };
    assert.equal(await countUploads(), 2);
    const AbortIncompleteMultipartUpload = { DaysAfterInitiation: 7 };
    const Rule = { ID: 'abort', Status: 'Enabled', Filter: {} } as const;
    const LifecycleConfiguration = { Rules: [{ ...Rule, AbortIncompleteMultipartUpload }] };
    const put = { Bucket, LifecycleConfiguration };
    await s3.send(new PutBucketLifecycleConfigurationCommand(put));
    assert.ok(await isSoon(async () => (await countUploads()) === 1, { withinMs: 20_000 }));
    s3.destroy();
  });

  it('exposes every series that Grafana and the alarms ask for', async () => {
    // The fleet of the uploads completes no other workflow in the first minutes.
    const temporal = await openTemporalClient(stack);
    await temporal.schedule.getHandle('reconcile-quota').trigger();
    await temporal.connection.close();
    const queries = readQueries();
    assert.ok(queries.length > 20);
    let missing: readonly string[] = [];
    const isComplete = async () => {
      const { apis, workers } = trial.service;
      const texts = await Promise.all(
        [...apis, ...workers].map(
          async ({ metricsUrl }) => await (await fetch(`${metricsUrl}/metrics`)).text(),
        ),
      );
      missing = missingFor(queries, parseSeries(texts.join('\n')));
      return missing.length === 0;
    };
    await isSoon(isComplete, { withinMs: EXPOSED_WITHIN_MS, everyMs: 500 });
    assert.deepEqual(missing, []);
  });

  it('has a library that counts the failures that they ask for', async () => {
    const folder = join(ROOT, 'node_modules/@temporalio/core-bridge/releases');
    const platform = (await readdir(folder)).find((name) => name.includes('linux')) ?? '';
    const library = await readFile(join(folder, platform, 'index.node'));
    for (const metric of AFTER_FAILURES)
      assert.ok(library.includes(metric.replace('temporal_', '')), metric);
  });

  it('generates its secrets, for its own user only, and keeps them over a restart', async () => {
    const state = join(folder, 'state');
    for (const file of await readdir(state))
      assert.equal((await stat(join(state, file))).mode & ANYONE, 0, file);
    await trial.container.restart();
    const again = await open();
    assert.deepEqual(again.role, role);
    // By the service's own AWS identity and the stored external id.
    const {
      items: [connection],
    } = await again.client.scanner.connections();
    const { scanId } = await again.client.scanner.start(connection?.connectionId ?? '');
    const scan = await again.client.scanner.waitFor(scanId, { pollMs: 500 });
    assert.equal(scan.status, 'completed', scan.error?.message);
  });
}
