import assert from 'node:assert/strict';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { ListObjectVersionsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { AwsDouble } from '../../dev/aws-double/index.ts';
import { REMOVE_SECONDS } from '../../domain/drills/drill.ts';
import type { Drill } from '../../sdk/src/index.ts';
import { eventually, openDatabase } from '../harness/customer.ts';
import { assertCost } from '../harness/drill-cost.ts';
import { drillFrom, drillsOf, sha256, untilDrill, verifiedCertificate } from '../harness/drill.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { createMigrationCustomer, objectsOf } from '../harness/migration-customer.ts';
import { openFormerPlace, savePlace, type OwnPlace } from '../harness/own-place.ts';
import { readUsage } from '../harness/process-usage.ts';
import { itSideBySide } from '../harness/side-by-side.ts';
import { priceBook } from '../unit/price-book.ts';
import { isLongForm } from '../long-form.ts';
import { startMigrationService, type IsolatedService } from '../servers.ts';

type Fault = Parameters<AwsDouble['addFault']>[0];

const SLOW_MS = 4_000;
/** Nothing waits for it: the call is cancelled. */
const CANCELLED_MS = 30_000;
const MANY_FILES = 10_000;
const EMPTY = { objects: [], uploads: [] };
const NO_FAILURES: readonly string[] = [];

describe('an exit drill while something goes wrong', function () {
  this.timeout(isLongForm ? 600_000 : 180_000);
  let suite: IsolatedService;
  let database: Awaited<ReturnType<typeof openDatabase>>;
  const places: OwnPlace[] = [];
  before(async () => {
    suite = await startMigrationService();
    database = await openDatabase(suite.stack);
  });
  after(async () => {
    await database?.close();
    await suite?.service.stop();
    for (const { s3 } of places) s3.destroy();
  });

  let turn: Promise<unknown> = Promise.resolve();
  /** One after the other: all at once are more than the double in this process answers in time. */
  function inTurn<Opened>(open: () => Promise<Opened>): Promise<Opened> {
    const opening = turn.then(open);
    turn = opening.catch(() => undefined);
    return opening;
  }

  const open = (count: number) => inTurn(() => openPlaces(count));
  /** A customer with files at a former place of its store, which is at another place now. */
  async function openPlaces(count: number) {
    const { stack, service } = suite;
    const opened = await openFormerPlace(stack, service.baseUrl, count);
    const { customer, former: one, current: two, files } = opened;
    places.push(one, two);
    const drills = drillsOf(customer);
    const request = drillFrom(one);
    const double = stack.cloud?.double ?? assert.fail();
    return {
      customer,
      one,
      two,
      files,
      drills,
      request,
      double,
      addFault: (at: OwnPlace, fault: Fault) => double.addFault({ ...fault, bucket: at.name }),
      start: async () => (await drills.start(request)).drillId,
    };
  }
  type Opened = Awaited<ReturnType<typeof openPlaces>>;

  /** The target's calls about one copy take long. */
  const slow = (
    { two, addFault }: Opened,
    operation: string,
    number: string,
    latencyMs: number = SLOW_MS,
  ) => addFault(two, { effect: 'latency', operation, key: `drill/*/${number}`, latencyMs });

  const until = ({ drills }: Opened, drillId: string, status: Drill['status']) =>
    untilDrill(drills, drillId, status);

  /** All files but those that have failed were copied and read back, and nothing is left. */
  async function assertTried(
    opened: Opened,
    drillId: string,
    failed = NO_FAILURES,
  ): Promise<Drill> {
    const { files, drills, two } = opened;
    const drill = await until(opened, drillId, 'completed');
    assert.deepEqual([drill.removed, drill.left, drill.error], [true, [], null]);
    const { equal, failures } = drill.results;
    assert.equal(equal, files.length - failed.length);
    assert.deepEqual(
      failures.map(({ code }) => code),
      failed,
    );
    const certificate = await verifiedCertificate(drills, drill);
    assert.deepEqual(certificate.results.failures, failures);
    const hashes = new Set(files.map(({ bytes }) => sha256(bytes)));
    assert.ok(certificate.objects.every((each) => hashes.has(each.sha256 ?? '')));
    assert.deepEqual(await two.contents(), EMPTY);
    return drill;
  }

  /** What is left once the target has kept it for as long as its removal is tried. */
  async function leftAtEnd(opened: Opened, drillId: string) {
    await until(opened, drillId, 'removing');
    await eventually('the target was asked', async () => {
      return (await opened.drills.get(drillId)).left.length > 0;
    });
    const removingSince = new Date(Date.now() - REMOVE_SECONDS * 1_000);
    await database.db
      .collection<{ _id: string }>('drills')
      .updateOne({ _id: drillId }, { $set: { removingSince } });
    const drill = await until(opened, drillId, 'failed');
    assert.deepEqual([drill.removed, drill.error?.code], [false, 'provider_error']);
    const certificate = await verifiedCertificate(opened.drills, drill);
    assert.deepEqual(certificate.left, drill.left);
    const page = await opened.drills.certificatePage(drillId);
    assert.ok(drill.left.every((key) => page.includes(key)));
    return drill.left;
  }

  async function assertCancelled(opened: Opened, drillId: string): Promise<void> {
    await opened.drills.cancel(drillId);
    const drill = await until(opened, drillId, 'cancelled');
    assert.deepEqual([drill.removed, drill.left], [true, []]);
    assert.deepEqual(await opened.two.contents(), EMPTY);
  }

  const STORIES: Record<string, () => Promise<void>> = {
    async 'goes on where its target hangs in the copies'() {
      const opened = await open(2);
      const { two, start, addFault } = opened;
      addFault(two, { effect: 'hang', operation: 'PutObject', key: 'drill/*/0000?', times: 2 });
      const { results } = await assertTried(opened, await start());
      assert.ok(results.retries >= 2);
    },

    async 'goes on where its target hangs while the copies are read back'() {
      const opened = await open(3);
      const { two, start, addFault } = opened;
      addFault(two, { effect: 'hang', operation: 'GetObject', key: 'drill/*/00002', times: 2 });
      addFault(two, { effect: 'cut', operation: 'GetObject', key: 'drill/*/00003', times: 1 });
      await assertTried(opened, await start());
    },

    async 'goes on where its target hangs in the removal, and where an answer is lost'() {
      const opened = await open(3);
      const { two, start, addFault } = opened;
      const lost = { effect: 'cut', operation: 'DeleteObject', at: 'response', times: 1 } as const;
      addFault(two, { ...lost, key: 'drill/*/00001' });
      addFault(two, { effect: 'hang', operation: 'DeleteObject', key: 'drill/*/00002', times: 1 });
      await assertTried(opened, await start());
    },

    async 'fails where the keys of its target are withdrawn in the copies'() {
      const opened = await open(3);
      const { one, two, files, start, addFault } = opened;
      // One is copied, and the others are read when the keys are gone.
      const late = { effect: 'latency', operation: 'GetObject', latencyMs: SLOW_MS } as const;
      for (const { fileId } of files.slice(1)) addFault(one, { ...late, key: `*${fileId}*` });
      const drillId = await start();
      await eventually('a file is copied', async () => (await two.contents()).objects.length === 1);
      two.revokeKeys();
      const left = await leftAtEnd(opened, drillId);
      // What came of the other writes is not known without the keys.
      const { objects } = await two.contents();
      assert.ok(objects.length === 1 && objects.every((key) => left.includes(key)), String(left));
    },

    async 'fails where the keys of its target are withdrawn while copies are read back'() {
      // More than are read at once.
      const opened = await open(10);
      const { two, start } = opened;
      slow(opened, 'GetObject', '0000?');
      const drillId = await start();
      await until(opened, drillId, 'reading');
      two.revokeKeys();
      const left = await leftAtEnd(opened, drillId);
      assert.equal(left.length, 10);
      assert.deepEqual(left, (await two.contents()).objects);
    },

    async 'fails where the keys of its target are withdrawn in the removal'() {
      const opened = await open(3);
      const { two, start, addFault } = opened;
      for (const number of ['00001', '00003'])
        addFault(two, { effect: 'hang', operation: 'DeleteObject', key: `drill/*/${number}` });
      const drillId = await start();
      await until(opened, drillId, 'removing');
      await eventually('one is deleted', async () => (await two.contents()).objects.length === 2);
      two.revokeKeys();
      const left = await leftAtEnd(opened, drillId);
      assert.equal(left.length, 2);
      assert.deepEqual(left, (await two.contents()).objects);
    },

    async 'removes what there is where the keys come back'() {
      const opened = await open(2);
      const { customer, two, start } = opened;
      slow(opened, 'PutObject', '00002');
      const drillId = await start();
      await eventually('a file is copied', async () => (await two.contents()).objects.length === 1);
      two.revokeKeys();
      await until(opened, drillId, 'removing');
      two.renewKeys();
      await savePlace(customer, two);
      const drill = await until(opened, drillId, 'failed');
      assert.deepEqual([drill.removed, drill.left], [true, []]);
      assert.deepEqual(await two.contents(), EMPTY);
    },

    async 'fails where the keys of its source are withdrawn, and leaves nothing'() {
      const opened = await open(3);
      const { one, two, files, start, addFault } = opened;
      const late = { effect: 'latency', operation: 'HeadObject', latencyMs: SLOW_MS } as const;
      for (const { fileId } of files.slice(1)) addFault(one, { ...late, key: `*${fileId}*` });
      const drillId = await start();
      await eventually('a file is copied', async () => (await two.contents()).objects.length === 1);
      one.revokeKeys();
      const drill = await until(opened, drillId, 'failed');
      assert.deepEqual(
        [drill.error?.code, drill.removed, drill.left],
        ['provider_error', true, []],
      );
      assert.deepEqual(await two.contents(), EMPTY);
    },

    async 'leaves nothing where it is cancelled in the copies'() {
      const opened = await open(2);
      slow(opened, 'PutObject', '00002', CANCELLED_MS);
      const drillId = await opened.start();
      await until(opened, drillId, 'copying');
      await wait(SLOW_MS / 4);
      await assertCancelled(opened, drillId);
    },

    async 'leaves nothing where it is cancelled while copies are read back'() {
      const opened = await open(2);
      slow(opened, 'GetObject', '00002', CANCELLED_MS);
      const drillId = await opened.start();
      await until(opened, drillId, 'reading');
      await assertCancelled(opened, drillId);
    },

    async 'completes where it is cancelled in the removal'() {
      const opened = await open(2);
      slow(opened, 'DeleteObject', '00002');
      const drillId = await opened.start();
      await until(opened, drillId, 'removing');
      await opened.drills.cancel(drillId);
      await assertTried(opened, drillId);
    },

    async 'says which copy was altered before it was read back'() {
      const opened = await open(2);
      const { two, start } = opened;
      slow(opened, 'PutObject', '00002');
      const drillId = await start();
      await eventually('a file is copied', async () => (await two.contents()).objects.length === 1);
      const [Key] = (await two.contents()).objects;
      await two.s3.send(new PutObjectCommand({ Bucket: two.name, Key, Body: 'by another' }));
      await assertTried(opened, drillId, ['target_differs']);
    },

    async 'says which file was deleted before it was copied'() {
      const opened = await open(2);
      const { customer, one, files, start, addFault } = opened;
      const { fileId } = files[0] ?? assert.fail();
      const late = { effect: 'latency', operation: 'HeadObject', latencyMs: SLOW_MS } as const;
      addFault(one, { ...late, key: `*${fileId}*` });
      const drillId = await start();
      await until(opened, drillId, 'copying');
      assert.equal((await customer.delete(fileId)).status, 200);
      await assertTried(opened, drillId, ['source_missing']);
    },

    async 'costs what its places were asked for, and no more than was estimated'() {
      const { files, drills, double, one, two, request } = await open(4);
      const place = { provider: 'aws', region: 'us-east-1' } as const;
      await assertCost(priceBook, {
        drills,
        double,
        request,
        from: { ...place, bucket: one.name },
        to: { ...place, bucket: two.name },
        bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
      });
    },

    async 'begins once where it is asked for twice at once'() {
      const opened = await open(1);
      const begun = await Promise.allSettled([opened.start(), opened.start(), opened.start()]);
      const ids = begun.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      const refused = begun.flatMap((each) =>
        each.status === 'rejected' ? (each.reason as { code: string }).code : [],
      );
      assert.deepEqual([ids.length, refused], [1, ['drill_running', 'drill_running']]);
      await assertTried(opened, ids[0] ?? '');
    },

    async 'leaves no version and no delete marker where its target keeps them'() {
      const opened = await open(3);
      const { two, double, start } = opened;
      double.putBucket({ name: two.name, versioning: 'Enabled' });
      await assertTried(opened, await start());
      assert.deepEqual(await versionsOf(two), []);
    },

    async 'names what is left where its target does not delete versions'() {
      const opened = await open(2);
      const { two, double, start } = opened;
      const policy = JSON.stringify({
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Deny',
            Principal: '*',
            Action: 's3:DeleteObjectVersion',
            Resource: `arn:aws:s3:::${two.name}/*`,
          },
        ],
      });
      double.putBucket({ name: two.name, versioning: 'Enabled', settings: { policy } });
      const left = await leftAtEnd(opened, await start());
      assert.ok(left.length >= 2);
      assert.deepEqual(left, [...new Set(await versionsOf(two))]);
    },

    async "leaves nothing where it is cancelled while a bucket's objects are listed"() {
      const { customer, start } = await connected();
      const slowly = { effect: 'latency', operation: 'ListObjectsV2', latencyMs: SLOW_MS } as const;
      customer.addFaults([{ ...slowly, side: 'source' }]);
      const drillId = await start();
      await customer.client.drills.cancel(drillId);
      const drill = await untilDrill(customer.client.drills, drillId, 'cancelled');
      assert.deepEqual([drill.removed, drill.sample.files, drill.results.copied], [true, 0, 0]);
    },

    async 'needs no role once the bucket was scanned'() {
      const { customer, start } = await connected();
      customer.double.removeRole(customer.roleArn);
      const drill = await untilDrill(customer.client.drills, await start(), 'completed');
      assert.deepEqual([drill.removed, drill.results.equal], [true, 5]);
    },
  };
  itSideBySide(STORIES);

  if (isLongForm)
    it(`tries ${MANY_FILES} objects`, async () => {
      const { customer, start } = await connected(MANY_FILES);
      const worker = suite.service.workers[0] ?? assert.fail();
      const beganMs = performance.now();
      const drillId = await start();
      let mostBytes = 0;
      let drill = await customer.client.drills.get(drillId);
      while (drill.completedAt === null) {
        await wait(500);
        mostBytes = Math.max(mostBytes, (await readUsage(worker.pid)).bytes);
        drill = await customer.client.drills.get(drillId);
      }
      const { status, removed, results } = drill;
      assert.deepEqual([status, removed, results.equal], ['completed', true, MANY_FILES]);
      await verifiedCertificate(customer.client.drills, drill);
      assert.deepEqual(await customer.hashes(customer.target), new Map());
      const seconds = Math.round((performance.now() - beganMs) / 1_000);
      process.stdout.write(`      ${seconds} s, ${Math.round(mostBytes / 2 ** 20)} MiB at most\n`);
    });

  const connected = (files = 5) => inTurn(() => openConnection(files));
  /** The bucket of a connected role, and a drill of it. */
  async function openConnection(files: number) {
    const customer = await createMigrationCustomer(suite.stack, suite.service.baseUrl);
    customer.put(objectsOf(files, (n) => 10 + (n % 5_000)));
    const { connectionId } = await customer.scan();
    const from = { connectionId, bucketName: customer.source };
    const request = { from, to: 'b2', sample: { files }, maxTotalUsd: 1 };
    return {
      customer,
      start: async () => (await customer.client.drills.start(request)).drillId,
    };
  }

  it('leaves every invariant intact', async () => {
    await assertInvariants({ ...suite, places });
  });
});

/** The keys of all versions and delete markers. */
async function versionsOf({ s3, name: Bucket }: OwnPlace): Promise<string[]> {
  const { Versions = [], DeleteMarkers = [] } = await s3.send(
    new ListObjectVersionsCommand({ Bucket }),
  );
  return [...Versions, ...DeleteMarkers].map(({ Key = '' }) => Key);
}
