import assert from 'node:assert/strict';
import type {
  AnalyticsMonthly,
  AnalyticsSummary,
  RoutedFileDecision,
  RoutingHistoryPage,
} from '../../sdk/src/index.ts';
import { putAsTold } from './store.ts';
import { one, other, withStores, type Tenant } from './tenant.ts';
import { bodyOf, call, requireInvalid, requireRecent } from './wire.ts';

const BODY = Buffer.alloc(1_234, 'x');

const ask = async (path: string, tenant: Tenant = one) =>
  await call('GET', `/v1/analytics/${path}`, { token: tenant.dashboard() });
const summary = async (tenant?: Tenant) =>
  bodyOf(await ask('summary', tenant), 200) as AnalyticsSummary;
const monthly = async () => bodyOf(await ask('monthly'), 200) as AnalyticsMonthly;
const history = async (query = '', tenant?: Tenant) =>
  bodyOf(await ask(`routing-history${query}`, tenant), 200) as RoutingHistoryPage;

/** Totals in whole bytes and micro-dollars, so that differences are exact. */
const whole = ({ gbRouted, savedVsAwsUsd }: { gbRouted: number; savedVsAwsUsd: number }) => ({
  bytes: Math.round(gbRouted * 1e9),
  micro: Math.round(savedVsAwsUsd * 1e6),
});

describe('Analytics', () => {
  withStores(one, 'aws', 'r2', 'b2');

  // spec: dashboard.analytics-and-billing, endpoint.analytics-summary, upload.records-savings
  it('count an upload when it is completed, and keep it when it is deleted', async () => {
    const [before, theirs] = [await summary(), await summary(other)];
    const started = await one.start({ fileSizeBytes: BODY.length, priority: 'archive' });
    const waiting = await summary();
    assert.equal(waiting.files.pending, before.files.pending + 1);
    assert.deepEqual(whole(waiting), whole(before));

    await putAsTold(started, BODY);
    await one.completed(started.fileId);
    await one.completed(started.fileId);
    const after = await summary();
    assert.deepEqual(after.files, { ...before.files, active: before.files.active + 1 });
    assert.equal(whole(after).bytes - whole(before).bytes, BODY.length);
    const saved = Math.round(started.savedVsAws * 1e6);
    assert.equal(whole(after).micro - whole(before).micro, saved);
    assert.equal(after.currentMonth.uploads, before.currentMonth.uploads + 1);
    const at = (summary: AnalyticsSummary) =>
      summary.byProvider.find(({ provider }) => provider === started.provider)?.files ?? 0;
    assert.equal(at(after), at(before) + 1);
    assert.equal((await one.me()).usage.uploads, after.currentMonth.uploads);

    assert.deepEqual(await summary(other), theirs, 'another account sees nothing of it');
    const { items } = await history('?limit=50', other);
    assert.ok(items.every(({ fileId }) => fileId !== started.fileId));

    bodyOf(await one.delete(started.fileId), 200);
    const deleted = await summary();
    assert.deepEqual(deleted.files, { ...before.files, deleted: before.files.deleted + 1 });
    assert.deepEqual({ ...deleted, files: 0 }, { ...after, files: 0 });
  });

  // spec: dashboard.analytics-and-billing, endpoint.analytics-monthly, endpoint.analytics-summary
  it('add up: providers to the total, the last of twelve months to it, the states to the files', async () => {
    const { files, byProvider, ...total } = await summary();
    const { months } = await monthly();
    const sum = (parts: readonly { gbRouted: number; savedVsAwsUsd: number }[]) =>
      parts.map(whole).reduce((a, b) => ({ bytes: a.bytes + b.bytes, micro: a.micro + b.micro }), {
        bytes: 0,
        micro: 0,
      });
    assert.deepEqual(sum(byProvider), whole(total));
    const { total: all } = await history();
    assert.equal(files.pending + files.active + files.deleted + files.expired, all);
    assert.deepEqual(sum(months.at(-1)?.byProvider ?? []), whole(total.currentMonth));
    const names = months.map(({ month }) => month);
    assert.deepEqual([names.length, names], [12, [...new Set(names)].sort()]);
    assert.equal(names.at(-1), new Date().toISOString().slice(0, 7));
  });

  // spec: dashboard.analytics-and-billing, endpoint.analytics-routing-history
  // spec: endpoint.analytics-routing-history-items, limits.limit, limits.offset
  // spec: limits.pagination, paged-list.fields
  it('list where files went, the newest first, and a page is a part of the list', async () => {
    const started = await one.start({ fileSizeBytes: 5, fileName: 'newest.bin', priority: 'hot' });
    const first = await history();
    assert.deepEqual([first.limit, first.offset], [10, 0]);
    const [newest] = first.items;
    assert.ok(newest);
    const { createdAt, ...rest } = newest;
    const file = { fileName: 'newest.bin', fileSizeBytes: 5, priority: 'hot', status: 'pending' };
    const routed = { provider: 'r2', preferredProvider: 'r2', routingWarning: null };
    const { fileId, savedVsAws: savedVsAwsUsd } = started;
    assert.deepEqual(rest, { fileId, ...file, ...routed, savedVsAwsUsd });
    requireRecent(createdAt);
    const moments = first.items.map((item) => item.createdAt);
    assert.deepEqual(moments, moments.toSorted().toReversed());
    const { items, ...page } = await history('?limit=2&offset=1');
    assert.deepEqual(page, { total: first.total, limit: 2, offset: 1 });
    assert.deepEqual(items, first.items.slice(1, 3));
    assert.deepEqual((await history('?offset=10000')).items, []);
  });

  it('explain one decision: what each store would have cost, and the reason', async () => {
    const started = await one.start({ fileSizeBytes: 7_000_000, priority: 'archive' });
    const path = `routing-history/${started.fileId}`;
    const read = async () => bodyOf(await ask(path), 200) as RoutedFileDecision;
    const { routing, ...item } = await read();
    assert.deepEqual(item, (await history('?limit=1')).items[0]);
    assert.deepEqual(routing, (await one.file(started.fileId)).routing);
    const [aws, r2, b2] = routing.costs;
    assert.deepEqual([aws?.provider, r2?.provider, b2?.provider], ['aws', 'r2', 'b2']);
    const saved = (aws?.monthlyCostUsd ?? 0) - (b2?.monthlyCostUsd ?? 0);
    assert.ok(Math.abs(saved - item.savedVsAwsUsd) <= 2e-6);
    assert.match(routing.reason, /archive/);

    bodyOf(await one.delete(started.fileId), 200);
    assert.deepEqual(await read(), { ...item, status: 'deleted', routing });
  });

  // spec: dashboard.analytics-and-billing, limits.limit, limits.no-cursors, limits.offset
  // spec: limits.pagination, versioning.not-in-v1
  it('take the least and the most that a page may be asked for, and refuse all else by name', async () => {
    for (const query of ['?limit=1&offset=0', '?limit=50&offset=10000'])
      bodyOf(await ask(`routing-history${query}`), 200);
    const wrong = ['limit=0', 'limit=51', 'limit', 'limit=%2010', 'limit=ten', 'limit=5&limit=6'];
    wrong.push('offset=-1', 'offset=10001', 'page=2', 'cursor=x', 'pageToken=x', 'Limit=5');
    for (const query of wrong) {
      const [field] = query.split('=');
      requireInvalid(await ask(`routing-history?${query}`), `/${field}`);
    }
  });
});
