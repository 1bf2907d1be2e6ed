import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { toCredentials } from '../../dev/first-account.ts';
import type { Drill, DrillCertificate } from '../../sdk/src/index.ts';
import { createClient } from '../../sdk/src/index.ts';
import { createCustomer, eventually } from '../harness/customer.ts';
import { assertCost } from '../harness/drill-cost.ts';
import { merkleRoot, sha256, verifiedCertificate } from '../harness/drill.ts';
import { TARGET_REGION, type MigrationCustomer } from '../harness/migration-customer.ts';
import { priceBook } from '../unit/price-book.ts';
import { assertRefusal, customerWith, isolatedService } from './customers.ts';

const POLL = { pollMs: 100 };
const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function assertCertificate(text: string, drill: Drill): DrillCertificate {
  assert.equal(sha256(text), drill.certificateSha256);
  const certificate = JSON.parse(text) as DrillCertificate;
  const leaves = certificate.objects.map(({ key, etag, sha256: hash, bytes }) =>
    JSON.stringify([key, etag, hash, bytes]),
  );
  assert.equal(merkleRoot(leaves), drill.results.rootHash);
  return certificate;
}

describe('an exit drill of routed files', () => {
  const service = isolatedService({ environment: { DEFAULT_PLAN: 'growth' } });

  async function newCustomer(count: number) {
    const { stack, service: own } = service;
    const customer = await createCustomer(stack, own.baseUrl, ['r2', 'b2']);
    const r2 = toCredentials('r2', stack.environment);
    const b2 = toCredentials('b2', stack.environment);
    const hashes = new Set<string>();
    for (let at = 0; at < count; at += 1) {
      const bytes = randomBytes(1 + at * 1_000);
      const announced = await customer.init({ sizeBytes: bytes.length });
      await customer.put({ ...announced, bytes });
      assert.equal((await customer.complete(announced.fileId)).status, 200);
      hashes.add(sha256(bytes));
    }
    const client = createClient({ baseUrl: own.baseUrl, dashboardToken: customer.token });
    const request = {
      from: { provider: 'r2', bucketName: r2.bucketName },
      to: 'b2',
      sample: { files: 4 },
      maxTotalUsd: 1,
    } as const;
    const certificate = async (drillId: string, accept = 'application/json') => {
      const headers = { authorization: `Bearer ${customer.token}`, accept };
      const answer = await fetch(`${own.baseUrl}/v1/drills/${drillId}/certificate`, { headers });
      assert.match(answer.headers.get('content-type') ?? '', new RegExp(accept));
      return await answer.text();
    };
    /** The keys that a drill has left at its target. */
    const left = async (drillId: string) => {
      const s3 = new S3Client({
        endpoint: stack.environment['PROVIDER_ENDPOINT_B2'] ?? '',
        forcePathStyle: true,
        region: b2.region ?? 'us-west-004',
        credentials: b2,
      });
      const request = { Bucket: b2.bucketName, Prefix: `drill/${drillId}/` };
      const { Contents = [] } = await s3.send(new ListObjectsV2Command(request));
      s3.destroy();
      return Contents.map(({ Key }) => Key);
    };
    return { ...customer, client, request, hashes, certificate, left };
  }

  it('copies a sample, reads it back, leaves nothing, and certifies what it has proven', async () => {
    const { client, request, hashes, certificate, left } = await newCustomer(9);
    const estimate = await client.drills.estimate(request);
    assert.equal(estimate.files, 4);
    assert.ok(estimate.totalUsd >= estimate.quote.totalUsd);
    assert.deepEqual((await client.drills.list()).items, []);
    const { drillId, seed } = await client.drills.start(request);
    const drill = await client.drills.waitFor(drillId, POLL);
    const { status, results, removed, whole, error } = drill;
    assert.deepEqual([status, removed, error], ['completed', true, null], JSON.stringify(drill));
    assert.deepEqual(
      [results.copied, results.readBack, results.equal, results.failed],
      [4, 4, 4, 0],
    );
    assert.ok(results.requests >= 4 && results.bytesPerSecond > 0);
    assert.equal(whole.files, 9);
    assert.ok((whole.hoursFrom ?? 1) <= (whole.hoursTo ?? 0));
    assert.deepEqual(await left(drillId), []);
    const proven = assertCertificate(await certificate(drillId), drill);
    assert.equal(proven.seed, seed);
    assert.equal(proven.objects.length, 4);
    for (const { sha256: hash } of proven.objects) assert.ok(hashes.has(hash ?? ''));
    assert.ok(proven.notTried.some((each) => each.startsWith('5 objects')));
    const html = await certificate(drillId, 'text/html');
    assert.ok(html.includes(drill.certificateSha256 ?? '-') && html.includes(seed));
    await eventually('the activity log has the SHA-256 of the certificate', async () => {
      const { items } = await client.activity();
      return items.some(
        ({ action, certificateSha256 }) =>
          action === 'drill.completed' && certificateSha256 === drill.certificateSha256,
      );
    });
  });

  it('is refused where it could try nothing, and where it costs more than is allowed', async () => {
    const { client, request } = await newCustomer(1);
    const { start } = client.drills;
    const another = { provider: 'r2', bucketName: 'another' };
    await assertRefusal(start({ ...request, from: another }), 400, 'invalid_request');
    await assertRefusal(start({ ...request, to: 'r2' }), 400, 'invalid_request');
    await assertRefusal(start({ ...request, to: 'aws' }), 400, 'provider_not_configured');
    await assertRefusal(start({ ...request, maxTotalUsd: 0 }), 409, 'quote_exceeded');
    const unknown = '2f8d6b4a-0c1e-4d3f-a5b7-9e8c7d6f5a4b';
    const bucket = { connectionId: unknown, bucketName: 'press' };
    await assertRefusal(start({ ...request, from: bucket }), 404, 'connection_not_found');
    await assertRefusal(client.drills.get(unknown), 404, 'drill_not_found');
    assert.deepEqual((await client.drills.list()).items, []);
    const { drillId } = await start(request);
    const again = await start(request).catch((error: unknown) => error as { code?: string });
    if ('code' in again) assert.equal(again.code, 'drill_running');
    await client.drills.waitFor(drillId, POLL);
  });

  it('starts by itself when its schedule is due, once for all that was missed, for the person who has set it', async () => {
    const { client, request, accountId } = await newCustomer(2);
    const { drills } = client;
    assert.equal(await drills.schedule(), null);
    const rule = { every: 'quarter', hourUtc: 3, drill: request } as const;
    const dear = { ...rule, drill: { ...request, maxTotalUsd: 0 } };
    await assertRefusal(drills.setSchedule(dear), 409, 'quote_exceeded');
    const unknown = { ...rule, drill: { ...request, to: 'aws' } };
    await assertRefusal(drills.setSchedule(unknown), 400, 'provider_not_configured');
    const set = await drills.setSchedule(rule);
    assert.deepEqual(await drills.setSchedule(rule), set);
    assert.deepEqual(await drills.schedule(), set);
    assert.deepEqual({ every: set.every, hourUtc: set.hourUtc, drill: set.drill }, rule);
    const sweep = { taskQueue: 'migrations', workflowId: 'sweepMigrations-now' };
    await service.temporal.workflow.start('sweepMigrations', sweep);
    const makeDue = async (nextAt: Date) => {
      const due = { 'schedule.nextAt': nextAt, nextAttemptAt: nextAt };
      const { db } = service.database;
      const stored = db.collection<{ _id: string }>('drillSchedules');
      await stored.updateOne({ _id: accountId }, { $set: due });
    };
    const outcome = async () => (await drills.schedule())?.last;

    const missed = new Date(set.nextAt);
    missed.setUTCFullYear(missed.getUTCFullYear() - 1);
    await makeDue(missed);
    await eventually('it is settled', async () => (await outcome()) !== null);
    const { items } = await drills.list();
    assert.deepEqual(await outcome().then((last) => [last?.outcome, last?.drillId]), [
      'started',
      items[0]?.drillId,
    ]);
    const [first = assert.fail(), ...others] = items;
    assert.deepEqual(others, []);
    const drill = await drills.waitFor(first.drillId, POLL);
    assert.deepEqual([drill.status, drill.results.equal], ['completed', 2]);
    const { items: noted } = await client.activity();
    const saved = noted.find(({ action }) => action === 'schedule.saved');
    assert.deepEqual([drill.startedBy, drill.startedByName], [saved?.subject, saved?.name]);

    const { db } = service.database;
    const accounts = db.collection<{ _id: string }>('accounts');
    await accounts.updateOne({ _id: accountId }, { $set: { plan: 'free' } });
    await makeDue(new Date(Date.now() - 1_000));
    await eventually('the plan refuses', async () => (await outcome())?.outcome === 'plan_limit');
    assert.equal((await drills.list()).total, 1);
    await drills.removeSchedule();
    await drills.removeSchedule();
    assert.equal(await drills.schedule(), null);
    await eventually('the removal is noted once', async () => {
      const { items: all } = await client.activity();
      return all.filter(({ action }) => action === 'schedule.deleted').length === 1;
    });
  });
});

describe("an exit drill of a connection's bucket", () => {
  const ODD = ['d/a b+c%20', 'd/ünïcode', 'd//../e', 'd/0', 'f/1', 'f/2', 'f/3', 'f/4', 'f/5', 'g'];
  const objects = ODD.map((key, at) => ({ key, size: at * 3_000, seed: `${at}` }));

  async function begin(customer: MigrationCustomer, files: number) {
    const { connectionId } = await customer.scan();
    return await customer.client.drills.start({
      from: { connectionId, bucketName: customer.source },
      to: 'b2',
      sample: { files },
      maxTotalUsd: 1,
    });
  }

  const leftAt = async (customer: MigrationCustomer, drillId: string) =>
    [...(await customer.hashes(customer.target)).keys()].filter((key) => key.includes(drillId));

  it('proves every object, whatever its key, and leaves nothing', async () => {
    const customer = await customerWith(objects);
    const { drillId, from } = await begin(customer, 10);
    assert.equal(from.bucketName, customer.source);
    const drill = await customer.client.drills.waitFor(drillId, POLL);
    assert.equal(drill.status, 'completed', JSON.stringify(drill));
    assert.equal(drill.results.equal, 10, JSON.stringify(drill.results));
    assert.ok(drill.sample.strata.every(({ files, ofFiles }) => files === ofFiles));
    const { objects: proven } = await customer.client.drills.certificate(drillId);
    const source = await customer.hashes(customer.source);
    assert.deepEqual(new Map(proven.map(({ key, sha256: hash }) => [key, hash])), source);
    assert.deepEqual(await leftAt(customer, drillId), []);
  });

  it('proves a sample of one, and objects of 0 bytes', async () => {
    const empty = ['e/1', 'e/2', 'e/3'].map((key) => ({ key, size: 0 }));
    const customer = await customerWith(empty);
    for (const files of [1, 3]) {
      const { drillId } = await begin(customer, files);
      const drill = await customer.client.drills.waitFor(drillId, POLL);
      assert.deepEqual([drill.status, drill.removed], ['completed', true], JSON.stringify(drill));
      assert.deepEqual([drill.sample.files, drill.sample.bytes], [files, 0]);
      const { objects: proven, whole } = await verifiedCertificate(customer.client.drills, drill);
      assert.deepEqual(
        proven.map(({ sha256: hash }) => hash),
        proven.map(() => sha256('')),
      );
      assert.equal(proven.length, files);
      assert.ok(whole.hoursTo !== null && Number.isFinite(whole.hoursTo));
    }
  });

  it('proves objects whose keys have every odd character', async () => {
    const keys = [
      'plain',
      '../x',
      './x',
      'a/../b',
      'a/./b',
      'a//b',
      '/leading',
      '//',
      'trailing/',
      ' blank ',
      'plus+plus',
      '100%',
      '%2F',
      '%zz',
      `"double" 'single'`,
      '<&>;?#=@:,$!*()[]{}|^`~\\',
      'e\u0301 and \u00e9',
      '\u{1f980}\u200d\u{1f3f4}',
      '\u202eright to left',
      'tab\tnewline\nreturn\r',
      'control\u0001\u007f',
      'k'.repeat(1_024),
      `${'\u00fc'.repeat(511)}ab`,
    ];
    const customer = await customerWith(keys.map((key) => ({ key, size: 11, seed: 'same' })));
    const { drillId } = await begin(customer, keys.length);
    const drill = await customer.client.drills.waitFor(drillId, POLL);
    const { status, results, removed } = drill;
    assert.deepEqual([status, removed, results.failures], ['completed', true, []]);
    const { objects: proven } = await verifiedCertificate(customer.client.drills, drill);
    assert.deepEqual(proven.map(({ key }) => key).toSorted(compare), keys.toSorted(compare));
    assert.equal(new Set(proven.map(({ sha256: hash }) => hash)).size, 1);
  });

  it('costs what the stores were asked for, and no more than was estimated', async () => {
    const sizes = [0, 1, 300_000, 9_000_000, 70_000_000, 5_000];
    const customer = await customerWith(sizes.map((size, at) => ({ key: `s/${at}`, size })));
    const { connectionId } = await customer.scan();
    await assertCost(priceBook, {
      drills: customer.client.drills,
      double: customer.double,
      request: {
        from: { connectionId, bucketName: customer.source },
        to: 'b2',
        sample: { files: sizes.length },
      },
      from: { bucket: customer.source, provider: 'aws', region: 'us-east-1' },
      to: { bucket: customer.target, provider: 'b2', region: TARGET_REGION },
      bytes: sizes.reduce((sum, size) => sum + size, 0),
    });
  });

  it('finds a copy that comes back damaged', async () => {
    const customer = await customerWith(objects);
    const key = 'drill/*/00004';
    customer.addFaults([{ side: 'target', effect: 'truncate', operation: 'GetObject', key }]);
    const { drillId } = await begin(customer, 10);
    const drill = await customer.client.drills.waitFor(drillId, POLL);
    customer.double.clearFaults();
    assert.equal(drill.results.equal, 9, JSON.stringify(drill.results));
    assert.deepEqual(
      drill.results.failures.map(({ code }) => code),
      ['target_differs'],
    );
    assert.deepEqual([drill.status, drill.removed], ['completed', true]);
  });

  it('leaves nothing when it is cancelled', async () => {
    const customer = await customerWith(objects);
    // One is copied, and the others are under way.
    const slow = { effect: 'latency', operation: 'PutObject', latencyMs: 5_000 } as const;
    customer.addFaults(
      Array.from({ length: 9 }, (_unused, at) => ({
        ...slow,
        side: 'target',
        key: `drill/*/${String(at + 2).padStart(5, '0')}`,
      })),
    );
    const { drillId } = await begin(customer, 10);
    await eventually('it copies', async () => (await leftAt(customer, drillId)).length > 0);
    await customer.client.drills.cancel(drillId);
    const drill = await customer.client.drills.waitFor(drillId, POLL);
    customer.double.clearFaults();
    assert.deepEqual([drill.status, drill.removed, drill.left], ['cancelled', true, []]);
    assert.deepEqual(await leftAt(customer, drillId), []);
  });

  it('tries again where the target does not delete a copy, and has no end until it has', async () => {
    const customer = await customerWith(objects.slice(0, 3));
    const { drillId } = await begin(customer, 3);
    customer.addFaults([
      { side: 'target', effect: 'access_denied', operation: 'DeleteObject', key: 'drill/*/00002' },
    ]);
    await eventually('it removes', async () => {
      const { status } = await customer.client.drills.get(drillId);
      return status === 'removing';
    });
    customer.double.clearFaults();
    const drill = await customer.client.drills.waitFor(drillId, POLL);
    assert.deepEqual([drill.status, drill.removed], ['completed', true]);
  });
});
