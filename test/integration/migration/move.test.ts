import assert from 'node:assert/strict';
import { HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Worker } from '@temporalio/worker';
import { createAccessKey } from '../../../dev/cloud-account.ts';
import type { Service } from '../../../dev/service.ts';
import type { Stack } from '../../../dev/stack.ts';
import { loadWorkflowBundle } from '../../../worker/bundle.ts';
import { quietRuntime } from '../../runtime.ts';
import { findIn, hatchCanary } from '../service/canary.ts';
import { localMigrationService } from '../../servers.ts';
import {
  createMover,
  requireProved,
  TARGET_REGION,
  type Mover,
} from '../../harness/migration-customer.ts';

const MIB = 2 ** 20;

describe('a migration', () => {
  let stack: Stack;
  let service: Service;

  before(async () => {
    ({ stack, service } = await localMigrationService());
  });

  /** As the bucket's owner, past the service. */
  function ownerOf(mover: Mover, region: string): S3Client {
    const credentials = createAccessKey();
    mover.double.putUser({ ...credentials, accountId: mover.awsAccount });
    const endpoint = mover.double.s3Endpoint;
    return new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  }

  /** What the worker's own figures say of what it has done. */
  async function figures(): Promise<number[]> {
    const text = await (await fetch(`${service.workers[0]?.metricsUrl}/metrics`)).text();
    return [
      'migration_objects{outcome="copied"}',
      'migration_objects{outcome="failed"}',
      'migration_copied_bytes',
      'objects_listed',
    ].map((name) => {
      const line = text.split('\n').find((each) => each.startsWith(`${name} `));
      return Number(line?.slice(name.length) ?? 0);
    });
  }

  it('moves every kind of key and size, byte for byte, and says what it could not', async () => {
    const mover = await createMover(stack, service.baseUrl);
    const prefixBytes = Buffer.byteLength(`${mover.source}/o/`);
    const before = await figures();
    const longest = 'k'.repeat(1_024 - prefixBytes);
    mover.put([
      { key: 'o/empty', size: 0 },
      { key: 'o/folder/', size: 0 },
      { key: 'o//b', size: 1 },
      { key: 'o/./../c', size: 70_000 },
      { key: 'o/Case', size: 5 },
      { key: 'o/case', size: 6 },
      { key: 'o/ünï/😀 +%25&?#', size: 3 * MIB },
      { key: `o/${longest}`, size: 9 },
      { key: `o/${longest}x`, size: 9 },
      { key: 'o/held', size: 8 * MIB },
      { key: 'o/streamed', size: 8 * MIB + 1 },
      { key: 'o/parts', size: 64 * MIB + 1 },
      { key: 'o/frozen', size: 100, storageClass: 'GLACIER' },
      { key: 'o/late', size: 50, lastModified: new Date(Date.now() + 3_600_000).toISOString() },
      {
        key: 'o/dressed',
        size: 300_000,
        contentType: 'text/css',
        headers: {
          'cache-control': 'no-cache',
          'content-language': 'de',
          'content-disposition': 'attachment; filename="x.css"',
          'content-encoding': 'br',
          expires: 'Thu, 01 Dec 1994 16:00:00 GMT',
        },
        metadata: { owner: 'me', 'two-words': 'a  b' },
        tags: [{ key: 'team', value: 'red' }],
      },
    ]);
    const recommendation = await mover.recommend();
    assert.deepEqual(
      recommendation.blockers.map(({ code, objects }) => [code, objects]),
      [['needs_restore', 1]],
    );
    const approved = await mover.client.migrations.approve(recommendation.recommendationId, {
      targetProvider: 'b2',
    });
    const migration = await mover.migrated(approved.migrationId);
    assert.equal(migration.status, 'completed_with_failures', JSON.stringify(migration));
    assert.equal(migration.error, null);
    assert.deepEqual(migration.quote, approved.quote);
    assert.deepEqual(
      migration.failures.map(({ key, code, attempts }) => [key, code, attempts]),
      [
        ['o/frozen', 'needs_restore', 0],
        [`o/${longest}x`, 'key_too_long', 0],
      ],
    );
    assert.deepEqual(migration.notCarried, [{ what: 'tags', objects: 1 }]);
    assert.equal(migration.progress.objectsTotal, 14, 'what came later does not enter');
    assert.equal(migration.progress.objectsCopied, 12);
    assert.equal(migration.progress.percent, 100);
    assert.deepEqual(migration.target, {
      provider: 'b2',
      bucketName: mover.target,
      keyPrefix: `${mover.source}/`,
    });
    await requireProved(mover, migration);

    const dressed = await ownerOf(mover, TARGET_REGION).send(
      new HeadObjectCommand({ Bucket: mover.target, Key: `${mover.source}/o/dressed` }),
    );
    assert.equal(dressed.ContentType, 'text/css');
    assert.equal(dressed.CacheControl, 'no-cache');
    assert.equal(dressed.ContentLanguage, 'de');
    assert.equal(dressed.ContentDisposition, 'attachment; filename="x.css"');
    assert.equal(dressed.ContentEncoding, 'br');
    assert.equal(dressed.ExpiresString, 'Thu, 01 Dec 1994 16:00:00 GMT');
    assert.deepEqual(dressed.Metadata, {
      owner: 'me',
      'two-words': 'a  b',
      'src-etag': (await mover.report(approved.migrationId)).find(({ key }) => key === 'o/dressed')
        ?.sourceEtag,
      'src-last-modified': '2026-11-01T00:00:00.000Z',
      'migration-id': approved.migrationId,
    });

    const lines = [];
    for await (const line of mover.client.migrations.report(approved.migrationId)) lines.push(line);
    const { percent: _p, bytesPerSecond: _b, etaSeconds: _e, ...totals } = migration.progress;
    assert.deepEqual(lines.at(-1), {
      migrationId: approved.migrationId,
      status: migration.status,
      ...totals,
      notCarried: migration.notCarried,
      acls: 'not_carried',
      startedAt: migration.startedAt,
      completedAt: migration.completedAt,
    });

    const { bytesCopied } = migration.progress;
    const grown = (await figures()).map((value, at) => value - (before[at] ?? 0));
    assert.deepEqual(grown, [12, 2, bytesCopied, 15]);
  });

  it('leaves no key of an object, and no secret, with Temporal, and replays', async () => {
    const mover = await createMover(stack, service.baseUrl);
    const [name, broken] = [hatchCanary('object'), hatchCanary('broken')];
    mover.put([
      { key: `prefix/${name}`, size: 300_000 },
      { key: `prefix/${broken}`, size: 300_000 },
    ]);
    const { recommendationId } = await mover.recommend();
    mover.double.addFault({
      effect: 'access_denied',
      operation: 'GetObject',
      bucket: mover.source,
      key: `prefix/${broken}`,
    });
    const { migrationId } = await mover.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const migration = await mover.migrated(migrationId);
    mover.double.clearFaults();
    assert.equal(migration.status, 'completed_with_failures');
    const history = await mover.history(recommendationId);
    const needles = new Map([
      ['a key', name],
      ['a key that failed', broken],
      ['a secret of the source', mover.keys.source.secretAccessKey],
      ['a secret of the target', mover.keys.target.secretAccessKey],
    ]);
    assert.deepEqual(findIn(JSON.stringify(history), needles), []);
    const log = (await service.workers[0]?.readLog()) ?? '';
    assert.deepEqual(findIn(log, needles), []);
    quietRuntime();
    const workflowBundle = await loadWorkflowBundle();
    await Worker.runReplayHistory({ workflowBundle }, history, `migration/${recommendationId}`);
  });

  it('leaves alone what is there and equal, and replaces what is not', async () => {
    const mover = await createMover(stack, service.baseUrl);
    mover.put([
      { key: 'equal', text: 'the same' },
      { key: 'other', text: 'new text' },
      { key: 'longer', text: 'short' },
      { key: 'missing', text: 'not there' },
      { key: 'large', size: 5 * MIB },
    ]);
    const writer = ownerOf(mover, TARGET_REGION);
    for (const [key, Body] of [
      ['equal', 'the same'],
      ['other', 'old text'],
      ['longer', 'not so short'],
      ['unrelated', 'mine'],
    ] as const) {
      const Key = `${mover.source}/${key}`;
      await writer.send(new PutObjectCommand({ Bucket: mover.target, Key, Body }));
    }
    const migration = await mover.migrated(await mover.move());
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    assert.equal(migration.progress.objectsSkipped, 1);
    assert.equal(migration.progress.objectsCopied, 4);
    await requireProved(mover, migration);
  });

  it('of nothing at all completes at once', async () => {
    const mover = await createMover(stack, service.baseUrl);
    mover.put([{ key: 'a', size: 5 * MIB }]);
    const { recommendationId } = await mover.recommend();
    // All of it was written anew since the scan.
    mover.put([{ key: 'a', size: 5, lastModified: new Date(Date.now() + 60_000).toISOString() }]);
    const { migrationId } = await mover.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const migration = await mover.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    assert.equal(migration.progress.objectsTotal, 0);
    assert.equal(migration.progress.percent, 100);
  });

  it('ends before its first copy where it would cost over ten per cent more than the quote', async () => {
    const mover = await createMover(stack, service.baseUrl);
    const objects = (count: number) =>
      Array.from({ length: count }, (_unused, n) => ({ key: `o/${n}`, size: 200_000 }));
    mover.put(objects(20));
    const { recommendationId } = await mover.recommend();
    mover.put(objects(23));
    const { migrationId } = await mover.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const migration = await mover.migrated(migrationId);
    assert.equal(migration.status, 'failed');
    assert.equal(migration.error?.code, 'quote_exceeded');
    assert.match(migration.error?.message ?? '', /23 objects instead of 20/);
    assert.deepEqual([...(await mover.hashes(mover.target)).keys()], []);
    assert.deepEqual(await mover.report(migrationId), []);
    // And the stores are free again.
    await mover.client.providers.delete('b2');
  });

  // spec: state.migration
  it('can be watched, and cancelled: what was copied stays', async () => {
    const mover = await createMover(stack, service.baseUrl);
    mover.put(Array.from({ length: 400 }, (_unused, n) => ({ key: `o/${n}`, size: 200_000 })));
    const bucket = mover.source;
    mover.double.addFault({ effect: 'latency', operation: 'GetObject', bucket, latencyMs: 200 });
    const migrationId = await mover.move();
    const seen = await mover.client.migrations.waitFor(migrationId, {
      pollMs: 100,
      onProgress(migration) {
        const { percent, bytesPerSecond, etaSeconds } = migration.progress;
        if (migration.status !== 'copying' || bytesPerSecond === 0) return;
        assert.ok(percent !== null && percent > 0 && percent < 100 && etaSeconds !== null);
        void mover.client.migrations.cancel(migrationId);
      },
    });
    mover.double.clearFaults();
    assert.equal(seen.status, 'cancelled', JSON.stringify(seen));
    assert.ok(seen.progress.objectsCopied > 0 && seen.progress.objectsCopied < 400);
    assert.equal(seen.progress.objectsTotal, 400);
    await requireProved(mover, seen);
    const again = await mover.client.migrations.cancel(migrationId);
    assert.deepEqual(again, await mover.client.migrations.get(migrationId));
    assert.equal(again.completedAt, seen.completedAt);
  });
});
