import assert from 'node:assert/strict';
import { createClient, type ScanResult, type StorageRoutingClient } from '../../sdk/src/index.ts';
import { describedFetch } from './described.ts';
import { baseUrl, customerRole, storeAccess } from './target.ts';
import { refusal } from '../contract/refusal.ts';
import { one, other } from './tenant.ts';
import { bodyOf, call, requireInvalid, requireRecent } from './wire.ts';

const SCAN_TIMEOUT_MS = 120_000;

describe('The scanner', function () {
  this.timeout(SCAN_TIMEOUT_MS);
  const dashboard = (which: typeof one) =>
    createClient({
      baseUrl: String(baseUrl()),
      dashboardToken: which.dashboard(),
      fetch: describedFetch,
    });
  let scanner: StorageRoutingClient['scanner'];
  let connectionId: string;
  let scan: ScanResult;

  before(() => {
    ({ scanner } = dashboard(one));
  });

  // spec: connection.fields, endpoint.scanner-connect
  it('connects an account by its role, and keeps the connection when it is connected again', async () => {
    const regions = [storeAccess('aws').region];
    const connection = await scanner.connect({ ...customerRole(), regions });
    ({ connectionId } = connection);
    requireRecent(connection.createdAt);
    assert.ok(connection.bucketCount >= 1);
    assert.deepEqual(await scanner.connect({ ...customerRole(), regions }), connection);
    assert.deepEqual((await scanner.connections()).items, [connection]);
    const taken = await refusal(dashboard(other).scanner.connect({ ...customerRole(), regions }));
    assert.deepEqual([taken.status, taken.code], [409, 'role_already_connected']);
  });

  // One at a time, of ten that are asked for at once: `integration/scan/scan`.
  // spec: connection.id, endpoint.scanner-results, endpoint.scanner-scan, events.polling, scan.id
  // spec: scanner-sequence.background-job, scanner-sequence.poll, state.scan
  it('starts a scan, and brings it to its end', async () => {
    const ask = { token: one.dashboard(), json: { connectionId } };
    const answer = await call('POST', '/v1/scanner/scan', ask);
    const started = bodyOf(answer, 202) as { scanId: string; status: string; startedAt: string };
    assert.equal(started.status, 'queued');
    requireRecent(started.startedAt);
    scan = await scanner.waitFor(started.scanId, { pollMs: 100 });
    assert.equal(scan.status, 'completed', JSON.stringify(scan.error));
    assert.equal(scan.startedAt, started.startedAt);
    assert.deepEqual([scan.source, scan.progress.percent], ['stored', 100]);
  });

  // Its sums, to the micro-dollar: `integration/scan/scan-results`.
  it('produces a readable report with the verdict first', async () => {
    const report = await scanner.report(scan.scanId);
    assert.match(report, /^# (?:Save|Stay)/);
    for (const { name } of scan.buckets) assert.ok(report.includes(name));
    assert.ok(report.includes(scan.scanId));
    const ask = (accept?: string) =>
      call('GET', `/v1/scanner/results/${scan.scanId}/report`, {
        token: one.dashboard(),
        ...(accept === undefined ? {} : { headers: { accept } }),
      });
    for (const accept of [undefined, '*/*', 'text/markdown', 'application/json']) {
      const { headers } = await ask(accept);
      assert.match(String(headers['content-type']), /^text\/markdown/, accept);
      assert.match(String(headers['vary']), /Accept/);
    }
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    for (const accept of ['text/html', browser, 'text/markdown;q=0.5, text/html']) {
      const page = await ask(accept);
      assert.match(String(page.headers['content-type']), /^text\/html/, accept);
      assert.match(page.text, /^<!doctype html>/);
      for (const { name } of scan.buckets) assert.ok(page.text.includes(name));
      assert.equal(page.headers['content-security-policy'], "frame-ancestors 'none'");
    }
  });

  // spec: endpoint.scanner-history
  it('is in the history', async () => {
    const [latest] = (await scanner.history()).items;
    const { scanId, status, startedAt, completedAt, summary, decisionReport } = scan;
    const { objects, bytes, currentMonthlyCostUsd, monthlySavingsUsd } = summary;
    const run = { scanId, connectionId, status, startedAt, completedAt };
    const found = { objects, bytes, currentMonthlyCostUsd, monthlySavingsUsd };
    const { verdict, confidence } = decisionReport ?? assert.fail();
    assert.deepEqual(latest, { ...run, ...found, verdict, confidence });
  });

  it('is in the list of recommendations, the largest savings first', async () => {
    const wanted = scan.recommendations.map((each) => ({
      ...each,
      scanId: scan.scanId,
      connectionId,
    }));
    const options = { status: 'open', connectionId, limit: 50 } as const;
    const { items, ...page } = await scanner.recommendations(options);
    assert.deepEqual(page, { total: wanted.length, limit: 50, offset: 0 });
    const byId = (a: { recommendationId: string }, b: { recommendationId: string }) =>
      a.recommendationId < b.recommendationId ? -1 : 1;
    assert.deepEqual(
      items,
      wanted.toSorted((a, b) => b.monthlySavingsUsd - a.monthlySavingsUsd || byId(a, b)),
    );
    const second = await scanner.recommendations({ ...options, limit: 1, offset: 1 });
    assert.deepEqual(second, { ...page, items: items.slice(1, 2), limit: 1, offset: 1 });
  });

  it('tells one recommendation, with its months in four scenarios of reads', async () => {
    const { decisionReport } = scan;
    for (const listed of scan.recommendations) {
      const { recommendationId, options, currentMonthlyCostUsd } = listed;
      const { readScenarios, horizonMonths, assumptions, ...rest } =
        await scanner.recommendation(recommendationId);
      assert.deepEqual(rest, { ...listed, scanId: scan.scanId, connectionId });
      assert.deepEqual(
        [horizonMonths, assumptions],
        [decisionReport?.horizonMonths, decisionReport?.assumptions],
      );
      const reads = readScenarios.map((scenario) => scenario.reads);
      assert.deepEqual(reads, ['none', 'expected', 'heavy', 'inside']);
      assert.deepEqual(
        listed.scenarios.map(({ scenario, stayMonthlyUsd }) => [scenario, stayMonthlyUsd]),
        readScenarios.map((scenario) => [scenario.reads, scenario.stayMonthlyUsd]),
      );
      // With a bill the reads are known, and part of the cost.
      const counted = readScenarios[scan.summary.bill === null ? 0 : 1];
      assert.equal(counted?.stayMonthlyUsd, currentMonthlyCostUsd);
      const months = options.map(({ provider, storageClass, monthlyCostUsd: monthlyUsd }) => {
        return { provider, storageClass, monthlyUsd };
      });
      assert.deepEqual(counted.options, months);
    }
  });

  it('refuses a wrong status or connection in its lists, by name', async () => {
    const token = one.dashboard();
    for (const path of ['recommendations', 'migrations'])
      for (const query of ['status=none', 'status=', 'status=open&status=failed', 'connectionId=1'])
        requireInvalid(
          await call('GET', `/v1/scanner/${path}?${query}`, { token }),
          `/${query.split('=')[0]}`,
        );
  });

  it('releases the role on disconnect, and keeps the results readable', async () => {
    await scanner.disconnect(connectionId);
    assert.deepEqual((await scanner.connections()).items, []);
    assert.equal((await scanner.results(scan.scanId)).status, 'completed');
  });
});
