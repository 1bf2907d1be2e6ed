import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Service } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { createClient } from '../../sdk/src/index.ts';
import { eventually, openDatabase } from '../harness/customer.ts';
import { describeFile } from '../harness/described-file.ts';
import { createMigrationCustomer, TARGET_REGION } from '../harness/migration-customer.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { startWebhookServer, type WebhookServer } from '../harness/webhook-receiver.ts';
import { startMigrationService } from '../servers.ts';

const FILES = 100_000;
const DELIVERIES = 20_000;
const BATCH = 5_000;
/** What another account may wait longer, in milliseconds. */
const MOST_LATER_MS = 10_000;
/** Of the account whose store refuses: until the pause, with what is under way, and one an hour. */
const MOST_REFUSED = 100;
/** Attempts of a receiver that answers none of them, eight at once and each of 15 s, while this test looks. */
const MOST_DELIVERED = 80;
const FILE = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 8 };

describe('beside an account with very much due work, whose store and receiver fail,', function () {
  this.timeout(400_000);
  let stack: Stack;
  let service: Service;
  let receiver: WebhookServer;
  let database: Awaited<ReturnType<typeof openDatabase>>;

  before(async () => {
    receiver = await startWebhookServer();
    ({ stack, service } = await startMigrationService({ environment: receiver.environment }));
    database = await openDatabase(stack);
    const temporal = await openTemporalClient(stack);
    // It begins at the next full minute. The worker creates its schedule.
    const schedule = temporal.schedule.getHandle('sweep-uploads');
    await eventually('the sweep of the uploads begins', () =>
      schedule.trigger().then(
        () => true,
        () => false,
      ),
    );
    await temporal.connection.close();
  });
  after(async () => {
    await database?.close();
    await service?.stop();
    await receiver?.close();
  });

  async function hooked() {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    const { accountId, client } = customer;
    const url = receiver.url(accountId);
    const { webhookId } = await client.webhooks.add({ url, events: ['scan.completed'] });
    return { customer, webhookId };
  }

  async function timeOf(what: string, isDone: () => Promise<boolean>): Promise<number> {
    const startedAt = performance.now();
    await eventually(what, isDone);
    return performance.now() - startedAt;
  }

  async function upload(apiKey: string): Promise<string> {
    const uploads = createClient({ baseUrl: service.baseUrl, apiKey });
    const { fileId, presignedUrl, requiredHeaders } = await uploads.init(FILE);
    const put = { method: 'PUT', headers: requiredHeaders, body: '12345678' };
    assert.equal((await fetch(presignedUrl, put)).status, 200);
    await uploads.complete(fileId);
    return fileId;
  }

  /** How long an account waits for an event, a delete and totals that a killed process has left to the sweep. */
  async function measure() {
    const { customer, webhookId } = await hooked();
    const { accountId, client } = customer;
    const { apiKey } = await client.apiKey.regenerate();
    const [deleted, counted] = [await upload(apiKey), await upload(apiKey)];
    const files = database.db.collection<{ _id: string; status: string }>('files');
    const now = new Date();
    const left = { nextAttemptAt: now };
    await files.updateOne(
      { _id: deleted },
      { $set: { ...left, status: 'deleting', deleteStartedAt: now, totalsPending: ['deleted'] } },
    );
    await files.updateOne({ _id: counted }, { $set: { ...left, totalsPending: ['completed'] } });
    await client.webhooks.test(webhookId);
    const find = async (_id: string) => (await database.read('files', { _id }))[0];
    const [event, removal, recovery] = await Promise.all([
      timeOf('the event has arrived', () =>
        Promise.resolve(receiver.arrived(accountId).length > 0),
      ),
      timeOf('it is deleted', async () => (await find(deleted))?.status === 'deleted'),
      timeOf('it is counted', async () => {
        const found = await find(counted);
        return found !== undefined && found['totalsPending'] === undefined;
      }),
    ]);
    return { event, removal, recovery };
  }

  async function insertMany(
    collection: string,
    count: number,
    toDocument: (at: number) => object,
  ): Promise<void> {
    for (let at = 0; at < count; at += BATCH)
      await database.db
        .collection(collection)
        .insertMany(Array.from({ length: BATCH }, (_, more) => toDocument(at + more)));
  }

  /** Files to be deleted at a store that has revoked the key, and deliveries to a receiver that does not answer. */
  async function burden() {
    const { customer, webhookId } = await hooked();
    const { accountId, double, keys, target } = customer;
    receiver.answer(accountId, 0);
    double.removeUser(keys.target.accessKeyId);
    const { fileId: _id, sizeBytes, ...file } = describeFile(new Date());
    const dueAt = addSeconds(new Date(), -600);
    const location = { provider: 'b2', bucketName: target, region: TARGET_REGION };
    await insertMany('files', FILES, (at) => ({
      ...file,
      _id: randomUUID(),
      accountId,
      sizeBytes,
      status: 'deleting',
      location,
      objectKey: `uploads/${at}`,
      deleteStartedAt: dueAt,
      nextAttemptAt: addSeconds(dueAt, at / 1_000),
    }));
    await insertMany('webhookDeliveries', DELIVERIES, (at) => ({
      _id: `${at}-${accountId}/${webhookId}`,
      accountId,
      webhookId,
      eventId: `${at}-${accountId}`,
      type: 'scan.completed',
      body: '{}',
      status: 'retrying',
      attempts: 0,
      lastStatus: null,
      lastError: null,
      createdAt: dueAt,
      nextAttemptAt: addSeconds(dueAt, at / 1_000),
    }));
    return customer;
  }

  it('another account waits for its events, deletes and recoveries hardly longer', async () => {
    const quiet = await measure();
    const { accountId, double, client } = await burden();
    const loaded = await measure();
    for (const [what, ms] of Object.entries(loaded)) {
      const before = quiet[what as keyof typeof quiet];
      process.stdout.write(`    ${what}: ${Math.round(before)} ms, now ${Math.round(ms)} ms\n`);
      assert.ok(ms < before + MOST_LATER_MS, `${what}: ${ms} ms instead of ${before} ms`);
    }
    await eventually('its store is paused', async () => {
      const { items } = await client.providers.list();
      const paused = items.find(({ provider }) => provider === 'b2')?.paused;
      return paused?.code === 'InvalidAccessKeyId';
    });
    const again = await measure();
    const refused = double.requests().filter(({ status }) => status === 403).length;
    assert.ok(refused > 0 && refused < MOST_REFUSED, `${refused} calls with the key`);
    const told = receiver.arrived(accountId).length;
    assert.ok(told >= 8 && told < MOST_DELIVERED, `${told} attempts`);
    for (const [what, ms] of Object.entries(again))
      assert.ok(ms < quiet[what as keyof typeof quiet] + MOST_LATER_MS, `${what}: ${ms} ms`);
  });
});
