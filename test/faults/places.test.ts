import assert from 'node:assert/strict';
import type { ServiceProcess } from '../../dev/service.ts';
import {
  createCustomer,
  eventually,
  openDatabase,
  type Answer,
  type Customer,
  type StoredDocument,
  type Upload,
} from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import {
  assertIdentical,
  migrationOf,
  objectsOf,
  type MigrationSuite,
} from '../harness/migration-customer.ts';
import { openMongoProxy, type MongoProxy } from '../harness/mongo-proxy.ts';
import { openOwnPlace, savePlace, shownPlaces, type OwnPlace } from '../harness/own-place.ts';
import { itSideBySide } from '../harness/side-by-side.ts';
import { startMigrationService } from '../servers.ts';

/** Seconds, so that the window of every upload closes within the suite. */
const WINDOW = { UPLOAD_URL_SECONDS: '15', UPLOAD_GRACE_SECONDS: '2' };
const FILE = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 8 };
const PART = 8 * 2 ** 20;
const IN_PARTS = {
  fileName: 'a.bin',
  contentType: 'a/b',
  fileSizeBytes: PART + 2 ** 20,
  multipart: true,
};
/** As many refusals pause the work at a store, and more. */
const REFUSED = 8;
/** A migration that is not over before its places change. */
const SLOW = {
  side: 'target',
  effect: 'latency',
  operation: 'PutObject',
  key: '*/o/*',
  latencyMs: 2_000,
} as const;
const OBJECTS = 60;

/** A customer whose store is at one place, and another place for it. */
interface Placed {
  readonly customer: Customer;
  readonly one: OwnPlace;
  readonly two: OwnPlace;
}

describe('a store that gets another place', function () {
  this.timeout(180_000);
  let suite: MigrationSuite;
  let database: Awaited<ReturnType<typeof openDatabase>>;
  /** The database as one of the two API processes sees it; places are changed through the other. */
  let line: MongoProxy;
  let held: ServiceProcess;
  const places: OwnPlace[] = [];
  let turn: Promise<unknown> = Promise.resolve();

  before(async () => {
    suite = { ...(await startMigrationService({ environment: WINDOW })), migrating: [] };
    database = await openDatabase(suite.stack);
    line = await openMongoProxy(suite.stack.environment['MONGODB_URI'] ?? '');
    held = await suite.service.addApi({ MONGODB_URI: line.uri });
  });
  after(async () => {
    for (const { s3 } of places) s3.destroy();
    await database?.close();
    await suite?.service.stop();
    await line?.close();
  });

  async function place(): Promise<Placed> {
    const [one, two] = [openOwnPlace(suite.stack), openOwnPlace(suite.stack)];
    places.push(one, two);
    const customer = await createCustomer(suite.stack, suite.service.baseUrl, []);
    await savePlace(customer, one);
    return { customer, one, two };
  }

  /** Does the work while a call is between its read of the account and this command; one at a time: calls have a deadline. */
  function whileHeld(...given: Parameters<typeof holdOne>): Promise<Answer> {
    const answer = turn.then(() => holdOne(...given));
    turn = answer.catch(() => undefined);
    return answer;
  }
  async function holdOne(
    [command, collection, about]: readonly [string, string, string],
    call: () => Promise<Answer>,
    work: () => Promise<unknown>,
  ): Promise<Answer> {
    const { reached, release } = line.hold(command, collection, about);
    const answer = call();
    try {
      await reached;
      await work();
    } finally {
      release();
    }
    return await answer;
  }
  /** Between the booking and the insert. */
  const duringInit = ({ customer }: Placed, body: object, work: () => Promise<unknown>) =>
    whileHeld(
      ['insert', 'files', customer.accountId],
      () => customer.call('POST /v1/upload/init', body, held.url),
      work,
    );
  /** Before the object is looked for, or assembled. */
  const duringComplete = ({ customer, two }: Placed, fileId: string) =>
    whileHeld(
      ['find', 'files', fileId],
      () => customer.complete(fileId, held.url),
      () => savePlace(customer, two),
    );
  const remove = async ({ customer }: Placed) =>
    assert.equal((await customer.manage('DELETE /v1/providers/aws')).status, 204);

  const account = async ({ accountId }: Customer): Promise<StoredDocument> =>
    (await database.read('accounts', { _id: accountId }))[0] ?? assert.fail();
  const untilForgotten = async ({ accountId }: Customer) =>
    await eventually('the former places are forgotten', async () => {
      return (await database.read('formerPlaces', { _id: accountId })).length === 0;
    });

  async function putParts(customer: Customer, fileId: string): Promise<void> {
    const partNumbers = [1, 2];
    const { status, text, body } = await customer.call('POST /v1/upload/parts', {
      fileId,
      partNumbers,
    });
    assert.equal(status, 200, text);
    for (const part of body['parts'] as { partNumber: number; presignedUrl: string }[]) {
      const bytes = Buffer.alloc(part.partNumber === 1 ? PART : 2 ** 20);
      assert.equal((await fetch(part.presignedUrl, { method: 'PUT', body: bytes })).status, 200);
    }
  }

  /** The file is whole at the place that was replaced; once it is deleted, nothing is left there. */
  async function assertLivesAt({ customer, one, two }: Placed, fileId: string): Promise<void> {
    assert.equal((await customer.complete(fileId)).status, 200);
    assert.deepEqual(await shownPlaces(customer), [[two.name, [[one.name, 1]]]]);
    const { body } = await customer.get(fileId);
    assert.equal((await fetch(String(body['downloadUrl']))).status, 200);
    assert.equal((await one.contents()).objects.length, 1);
    assert.equal((await customer.delete(fileId)).status, 200);
    assert.deepEqual(await one.contents(), { objects: [], uploads: [] });
    assert.equal(await customer.uploadsBooked(), 1);
    await untilForgotten(customer);
    assert.deepEqual(await shownPlaces(customer), [[two.name, []]]);
  }

  /** Deletes and settlements wait at a former place that refuses them, and go on there with new keys. */
  async function assertResumed(
    renew: (placed: Placed) => Promise<void>,
    atEnd: (placed: Placed) => Promise<void>,
  ): Promise<void> {
    const placed = await place();
    const { customer, one, two } = placed;
    const files: Upload[] = [];
    for (let count = 0; count < REFUSED; count += 1) files.push(await customer.send());
    for (const { fileId } of files) assert.equal((await customer.complete(fileId)).status, 200);
    await savePlace(customer, two);
    one.revokeKeys();
    for (const { fileId } of files) assert.equal((await customer.delete(fileId)).status, 202);
    const deleting = { accountId: customer.accountId, status: 'deleting' };
    await eventually('the deletes are paused', async () => {
      return (await database.read('files', { ...deleting, held: { $exists: true } })).length > 0;
    });
    const { refused = {} } = (await account(customer)) as { refused?: Record<string, object> };
    assert.equal(Object.keys(refused).length, 1);
    assert.ok(!('aws' in refused), 'not at the current place');
    const { body } = await customer.manage('GET /v1/providers');
    assert.equal((body['items'] as { paused: unknown }[])[0]?.paused, null);

    // What the worker alone does at the current place.
    const unheard = await customer.send();
    await eventually('a file is settled at the current place', async () => {
      return (await database.read('files', { _id: unheard.fileId, status: 'active' })).length === 1;
    });
    assert.equal((await customer.delete(unheard.fileId)).status, 200);
    assert.equal((await database.read('files', deleting)).length, REFUSED);

    one.renewKeys();
    await renew(placed);
    const left = JSON.stringify((await account(customer))['refused'] ?? {});
    assert.ok(!left.includes('count'), left);
    await eventually('all are deleted', async () => {
      return (await database.read('files', deleting)).length === 0;
    });
    assert.deepEqual(await one.contents(), { objects: [], uploads: [] });
    await untilForgotten(customer);
    await atEnd(placed);
  }

  itSideBySide({
    async 'during an init: the file is sent, completed, read and deleted at the place until then'() {
      const placed = await place();
      const { customer, two } = placed;
      const begun = await duringInit(placed, FILE, () => savePlace(customer, two));
      assert.equal(begun.status, 201, begun.text);
      const upload = {
        ...(begun.body as unknown as Upload),
        bytes: Buffer.alloc(FILE.fileSizeBytes),
      };
      await customer.put(upload);
      await assertLivesAt(placed, upload.fileId);
    },
    async 'during an init in parts: the same'() {
      const placed = await place();
      const { customer, two } = placed;
      const begun = await duringInit(placed, IN_PARTS, () => savePlace(customer, two));
      assert.equal(begun.status, 201, begun.text);
      const fileId = String(begun.body['fileId']);
      await putParts(customer, fileId);
      await assertLivesAt(placed, fileId);
    },
    async 'during a complete: the file is completed at the place until then'() {
      const placed = await place();
      const { fileId } = await placed.customer.send();
      assert.equal((await duringComplete(placed, fileId)).status, 200);
      await assertLivesAt(placed, fileId);
    },
    async 'during a complete of parts: the file is assembled there'() {
      const placed = await place();
      const { customer } = placed;
      const begun = await customer.call('POST /v1/upload/init', IN_PARTS);
      const fileId = String(begun.body['fileId']);
      await putParts(customer, fileId);
      assert.equal((await duringComplete(placed, fileId)).status, 200);
      await assertLivesAt(placed, fileId);
    },
    async 'during an init, and none at all: the file waits for its place'() {
      const placed = await place();
      const { customer, one } = placed;
      const begun = await duringInit(placed, FILE, () => remove(placed));
      assert.equal(begun.status, 201, begun.text);
      const upload = {
        ...(begun.body as unknown as Upload),
        bytes: Buffer.alloc(FILE.fileSizeBytes),
      };
      const refused = await customer.complete(upload.fileId);
      assert.deepEqual([refused.status, refused.body['code']], [400, 'provider_not_configured']);
      await customer.put(upload);
      await savePlace(customer, one);
      assert.equal((await customer.complete(upload.fileId)).status, 200);
      assert.equal((await customer.delete(upload.fileId)).status, 200);
      assert.deepEqual(await one.contents(), { objects: [], uploads: [] });
    },
    async 'during an init in parts, and none at all: nothing is left at the store, and nothing booked'() {
      const placed = await place();
      const { customer, one } = placed;
      const begun = await duringInit(placed, IN_PARTS, () => remove(placed));
      assert.deepEqual([begun.status, begun.body['code']], [400, 'no_providers_configured']);
      assert.deepEqual(await one.contents(), { objects: [], uploads: [] });
      assert.equal(await customer.uploadsBooked(), 0);
      const { body } = await customer.manage('GET /v1/analytics/summary');
      assert.deepEqual(body['files'], { pending: 0, active: 0, deleted: 0, expired: 0 });
    },
    async 'during a migration, on both of its sides: it goes on at the places it was approved for'() {
      const objects = objectsOf(OBJECTS);
      const move = await migrationOf(suite, { objects, faults: [SLOW] });
      const { customer, migrationId } = move;
      const { client, keys, accountId } = customer;
      await eventually('it is copying', async () => {
        return (await client.migrations.get(migrationId)).status === 'copying';
      });
      for (const [provider, side, region] of [
        ['aws', 'source', 'us-east-1'],
        ['b2', 'target', 'us-west-2'],
      ] as const) {
        const bucketName = customer.bucket(`other-${side}`, region);
        await client.providers.save({ provider, bucketName, region, ...keys[side] });
      }
      assert.equal((await client.migrations.get(migrationId)).completedAt, null, 'it still runs');
      const kept = await database.read('formerPlaces', { _id: accountId });
      assert.equal((kept[0]?.['items'] as unknown[] | undefined)?.length, 2);
      const migration = await customer.migrated(migrationId);
      assert.equal(migration.status, 'completed', JSON.stringify(migration));
      assert.equal(migration.progress.objectsCopied, OBJECTS);
      await assertIdentical(customer, migration);
      await eventually('both are forgotten', async () => {
        return (await database.read('formerPlaces', { _id: accountId })).length === 0;
      });
    },
    'and is refused at the one before: the work there alone waits, and goes on with its new keys':
      () =>
        assertResumed(
          ({ customer, one }) => savePlace(customer, one, { place: 'former' }),
          async ({ customer, two }) =>
            assert.deepEqual(await shownPlaces(customer), [[two.name, []]]),
        ),
    'and is refused at the one before: the work there goes on where that becomes current again':
      () =>
        assertResumed(
          ({ customer, one }) => savePlace(customer, one),
          async ({ customer, one }) =>
            assert.deepEqual(await shownPlaces(customer), [[one.name, []]]),
        ),
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants({ ...suite, places });
  });
});
