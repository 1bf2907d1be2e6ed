import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import type { Service } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import {
  createClient,
  type AddedWebhook,
  type StorageRoutingError,
  type WebhookRequest,
} from '../../sdk/src/index.ts';
import { refusal } from '../contract/refusal.ts';
import { eventually, openDatabase } from '../harness/customer.ts';
import { createMigrationCustomer, objectsOf } from '../harness/migration-customer.ts';
import { itSideBySide } from '../harness/side-by-side.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import {
  startWebhookServer,
  type Arrived,
  type WebhookServer,
} from '../harness/webhook-receiver.ts';
import { startMigrationService } from '../servers.ts';

/** More than a process has of an account at once. */
const SILENT = 12;
const OBJECTS = 50;

describe('webhooks', function () {
  this.timeout(240_000);
  let stack: Stack;
  let service: Service;
  let receiver: WebhookServer;
  let database: Awaited<ReturnType<typeof openDatabase>>;
  let temporal: Awaited<ReturnType<typeof openTemporalClient>>;

  before(async () => {
    receiver = await startWebhookServer();
    const environment = {
      ...receiver.environment,
      // Time for a PUT on a busy machine.
      UPLOAD_URL_SECONDS: '10',
      UPLOAD_GRACE_SECONDS: '1',
    };
    ({ stack, service } = await startMigrationService({ environment }));
    database = await openDatabase(stack);
    temporal = await openTemporalClient(stack);
    // Its schedule begins at the next full minute.
    const workflowId = 'sweep-webhooks-now';
    await temporal.workflow.start('sweepWebhooks', { taskQueue: 'webhooks', workflowId });
  });
  after(async () => {
    await temporal?.connection.close();
    await database?.close();
    await service?.stop();
    await receiver?.close();
  });

  /** A customer with a webhook whose path is the customer's id, and what has arrived there. */
  async function told(
    events: WebhookRequest['events'] = ['scan.completed'],
    more: Partial<WebhookRequest> = {},
  ) {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    const path = customer.accountId;
    const added = await customer.client.webhooks.add({ url: receiver.url(path), events, ...more });
    return { customer, path, added, arrived: () => receiver.arrived(path) };
  }
  type Told = Awaited<ReturnType<typeof told>>;

  async function delivered({ customer, added }: Told, eventId: string) {
    const find = async () => {
      const { items } = await customer.client.webhooks.deliveries(added.webhookId);
      return items.find((each) => each.eventId === eventId && each.status !== 'retrying');
    };
    await eventually('the delivery has ended', async () => (await find()) !== undefined);
    return (await find()) ?? assert.fail();
  }
  const test = async ({ customer, added }: Told) =>
    (await customer.client.webhooks.test(added.webhookId)).eventId;
  const verify = ({ secret }: Pick<AddedWebhook, 'secret'>, { body, headers }: Arrived) =>
    new Webhook(secret).verify(body, headers as Record<string, string>) as {
      type: string;
      timestamp: string;
      data: Record<string, unknown>;
    };
  const collection = () => database.db.collection<{ _id: string; items: object[] }>('webhooks');
  /** Of a customer with one webhook. */
  const update = async ({ customer }: Told, change: object) => {
    await collection().updateOne({ _id: customer.accountId }, change);
  };
  const storedOf = async ({ customer }: Told): Promise<Record<string, unknown>> => {
    const found = await collection().findOne({ _id: customer.accountId });
    return { ...found?.items[0] };
  };
  const typesOf = ({ arrived }: Told) =>
    arrived().map(({ body }) => (JSON.parse(body) as { type: string }).type);

  itSideBySide({
    async 'tell a receiver, signed by Standard Webhooks, and again after a failure with the same id'() {
      const it = await told();
      receiver.answer(it.path, 500, 302, 204);
      const eventId = await test(it);
      await eventually('it has arrived twice', async () => it.arrived().length >= 2);
      const [first, second] = it.arrived();
      assert.ok(first && second);
      const { type, data } = verify(it.added, first);
      assert.deepEqual([type, data], ['webhook.test', { webhookId: it.added.webhookId }]);
      assert.deepEqual(
        [first, second].map(({ headers }) => headers['webhook-id']),
        [eventId, eventId],
      );
      assert.equal(second.body, first.body);
      assert.equal(first.headers['content-type'], 'application/json');
      await eventually('the second attempt is stored', async () => {
        const { items } = await it.customer.client.webhooks.deliveries(it.added.webhookId);
        const [{ status, attempts, lastStatus, nextAttemptAt } = assert.fail()] = items;
        const waitMs = Date.parse(nextAttemptAt ?? '') - Date.now();
        return status === 'retrying' && attempts === 2 && lastStatus === 302 && waitMs > 200_000;
      });
      assert.deepEqual(receiver.arrived('redirected'), []);
    },

    async 'tell of a scan, an approval, the end of the move, and its release'() {
      const wanted = [
        'scan.completed',
        'migration.approved',
        'migration.ended',
        'release.ready',
      ] as const;
      const it = await told([...wanted, 'recommendation.opened']);
      const { customer } = it;
      customer.put(objectsOf(OBJECTS));
      const migrationId = await customer.move();
      await customer.migrated(migrationId);
      await customer.client.migrations.beginRelease(migrationId);
      await eventually('all have arrived', () =>
        Promise.resolve(wanted.every((type) => typesOf(it).includes(type))),
      );
      const types = typesOf(it);
      assert.deepEqual(
        types.toSorted(),
        [...wanted, 'recommendation.opened'].toSorted(),
        'each once',
      );
      const find = (type: string) => {
        const arrived = it.arrived()[types.indexOf(type)] ?? assert.fail(type);
        return verify(it.added, arrived).data;
      };
      const ended = find('migration.ended');
      assert.deepEqual([ended['migrationId'], ended['status']], [migrationId, 'completed']);
      assert.equal(find('migration.approved')['approvedBy'], customer.accountId);
      assert.equal(find('recommendation.opened')['recommendationId'], migrationId);
      assert.equal(find('release.ready')['objects'], OBJECTS);
    },

    async 'tell of an upload that no call has completed, and once of a store that refuses its credentials'() {
      const it = await told(['file.settled', 'provider.failing']);
      const { client, double, keys } = it.customer;
      const { apiKey } = await client.apiKey.regenerate();
      const uploads = createClient({ baseUrl: service.baseUrl, apiKey });
      const file = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 8 };
      const { fileId, presignedUrl, requiredHeaders } = await uploads.init(file);
      const put = { method: 'PUT', headers: requiredHeaders, body: '12345678' };
      assert.equal((await fetch(presignedUrl, put)).status, 200);
      await eventually('it is settled', () => Promise.resolve(it.arrived().length === 1));
      const [settled] = it.arrived().map((each) => verify(it.added, each).data);
      assert.deepEqual([settled?.['fileId'], settled?.['status']], [fileId, 'active']);

      double.removeUser(keys.target.accessKeyId);
      for (const _call of [1, 2]) assert.equal((await client.providers.test('b2')).ok, false);
      await eventually('it is told', () => Promise.resolve(it.arrived().length === 2));
      const [, failing] = it.arrived().map((each) => verify(it.added, each));
      assert.deepEqual([failing?.type, failing?.data['provider']], ['provider.failing', 'b2']);
      assert.ok(!it.arrived()[1]?.body.includes(keys.target.accessKeyId));
      assert.equal((await delivered(it, await test(it))).status, 'delivered');
      assert.equal(it.arrived().length, 3, 'once a day');
    },

    async 'are told of nothing after 410, and again once they are enabled'() {
      const it = await told();
      const { webhooks } = it.customer.client;
      receiver.answer(it.path, 410, 204);
      const gone = await delivered(it, await test(it));
      assert.deepEqual([gone.status, gone.attempts, gone.lastStatus], ['failed', 1, 410]);
      const [disabled] = (await webhooks.list()).items;
      assert.ok(disabled?.disabledAt);
      const scan = async () => {
        assert.equal((await it.customer.scan()).status, 'completed');
        // What was emitted before is handed on before.
        await delivered(it, await test(it));
      };
      await scan();
      assert.deepEqual(typesOf(it), ['webhook.test', 'webhook.test']);
      assert.equal((await webhooks.enable(it.added.webhookId)).disabledAt, null);
      await scan();
      await eventually('the scan is told', () =>
        Promise.resolve(typesOf(it).includes('scan.completed')),
      );
    },

    async 'sign by both secrets after a rotation'() {
      const it = await told();
      const { secret } = await it.customer.client.webhooks.rotate(it.added.webhookId);
      assert.notEqual(secret, it.added.secret);
      await delivered(it, await test(it));
      const [arrived = assert.fail()] = it.arrived();
      for (const each of [secret, it.added.secret]) verify({ secret: each }, arrived);
      assert.equal(String(arrived.headers['webhook-signature']).split(' ').length, 2);
    },

    async 'send a text as a channel takes it, whose address is a secret'() {
      const it = await told(['scan.completed'], { format: 'slack' });
      await delivered(it, await test(it));
      assert.deepEqual(JSON.parse(it.arrived()[0]?.body ?? ''), { text: 'This is a test.' });
      const [listed] = (await it.customer.client.webhooks.list()).items;
      assert.deepEqual([it.added.url, listed?.url], [receiver.url(it.path), receiver.url('…')]);
      // One whose address is stored as it is.
      const plain = {
        $set: { 'items.0.url': it.added.url },
        $unset: { 'items.0.sealedUrl': true },
      };
      await update(it, plain);
      assert.equal((await delivered(it, await test(it))).status, 'delivered');
    },

    async 'are signed by the new secret alone where the one before cannot be opened'() {
      const it = await told();
      const { secret } = await it.customer.client.webhooks.rotate(it.added.webhookId);
      await update(it, { $set: { 'items.0.earlier.secret.keyId': 'lost' } });
      assert.equal((await delivered(it, await test(it))).status, 'delivered');
      const [arrived = assert.fail()] = it.arrived();
      verify({ secret }, arrived);
      assert.throws(() => verify(it.added, arrived));
    },

    async 'have failed attempts, with the reason, where the secret cannot be opened'() {
      const it = await told();
      await update(it, { $set: { 'items.0.secret.keyId': 'lost' } });
      const eventId = await test(it);
      const find = async () => {
        const { items } = await it.customer.client.webhooks.deliveries(it.added.webhookId);
        return items.find((each) => each.eventId === eventId && each.attempts === 2);
      };
      await eventually('there are two attempts', async () => (await find()) !== undefined);
      const { status, lastStatus, lastError } = (await find()) ?? assert.fail();
      assert.deepEqual([status, lastStatus], ['retrying', null]);
      assert.match(lastError ?? '', /cannot open the secret/);
      assert.deepEqual(it.arrived(), []);
      const failed = `ExecutionStatus = 'Failed' AND AccountId = '${it.customer.accountId}'`;
      assert.equal((await temporal.workflow.count(failed)).count, 0);
    },

    async 'are not failing any more after a success that began before the failure'() {
      const it = await told();
      let succeed = (_status: number): void => assert.fail();
      const held = new Promise<number>((resolve) => {
        succeed = resolve;
      });
      receiver.answer(it.path, held, 500);
      const first = await test(it);
      await eventually('it is asked', () => Promise.resolve(it.arrived().length === 1));
      const eventId = await test(it);
      const failingSince = async () => (await storedOf(it))['failingSince'];
      await eventually('it fails', async () => (await failingSince()) !== undefined);
      // Its next attempt would fail again.
      await database.db.collection('webhookDeliveries').deleteOne({ eventId });
      succeed(204);
      await delivered(it, first);
      assert.equal(await failingSince(), undefined);
    },

    async 'belong to one account, which has at most ten, also by calls at the same time'() {
      const it = await told();
      const { webhooks } = it.customer.client;
      const add = () => webhooks.add({ url: receiver.url('more'), events: ['scan.failed'] });
      const outcome = () =>
        add().then(
          () => 'added',
          ({ code }: StorageRoutingError) => code,
        );
      const outcomes = await Promise.all(Array.from({ length: 16 }, outcome));
      assert.deepEqual(outcomes.toSorted(), [
        ...Array.from({ length: 9 }, () => 'added'),
        ...Array.from({ length: 7 }, () => 'too_many_webhooks'),
      ]);
      assert.deepEqual(
        [(await webhooks.list()).items.length, (await refusal(add())).code],
        [10, 'too_many_webhooks'],
      );
      const other = await createMigrationCustomer(stack, service.baseUrl);
      const { webhookId } = it.added;
      const { webhooks: theirs } = other.client;
      for (const call of [
        () => theirs.deliveries(webhookId),
        () => theirs.test(webhookId),
        () => theirs.rotate(webhookId),
        () => theirs.enable(webhookId),
        () => theirs.remove(webhookId),
      ])
        assert.equal((await refusal(call())).code, 'webhook_not_found');
      await webhooks.remove(webhookId);
      assert.equal((await webhooks.list()).items.length, 9);
      const stored = JSON.stringify(await database.read('webhooks', {}));
      assert.ok(!stored.includes(it.added.secret), 'secrets are sealed');
    },

    async 'have an address that is public, secure, and on an allowed port'() {
      const { client } = await createMigrationCustomer(stack, service.baseUrl);
      for (const url of [
        'http://example.com/',
        'https://user:pass@example.com/',
        'https://example.com:8443/',
        'https://127.0.0.1/',
        'https://2130706433/',
        'https://0x7f.1/',
        'https://[::1]/',
        'https://[::ffff:7f00:1]/',
        'https://169.254.169.254/latest/meta-data',
        'https://localhost./',
        'https://no-such-host.invalid/',
        'nothing',
      ]) {
        const error = await refusal(client.webhooks.add({ url, events: ['scan.completed'] }));
        assert.deepEqual([error.code, error.details?.[0]?.path], ['invalid_request', '/url'], url);
      }
    },

    async 'wait for a receiver that does not answer, while those of other accounts are told'() {
      const [silent, other] = await Promise.all([told(), told()]);
      receiver.answer(silent.path, 0);
      await Promise.all(Array.from({ length: SILENT }, () => test(silent)));
      await eventually('it is asked', () => Promise.resolve(silent.arrived().length > 0));
      const startedAt = performance.now();
      await delivered(other, await test(other));
      assert.ok(performance.now() - startedAt < 12_000, 'before the silent one is given up');
      await eventually('it is given up', async () => {
        const { items } = await silent.customer.client.webhooks.deliveries(silent.added.webhookId);
        return items.some(({ lastError }) =>
          /did not answer within 15 seconds/.test(lastError ?? ''),
        );
      });
    },
  });

  it('are told of what was emitted before the worker was killed, with the same id', async () => {
    const it = await told();
    receiver.answer(it.path, 0);
    const eventId = await test(it);
    await eventually('it is under way', () => Promise.resolve(it.arrived().length > 0));
    await Promise.all(service.workers.map((worker) => worker.kill()));
    receiver.answer(it.path, 204);
    const emitted = await test(it);
    await Promise.all(service.workers.map((worker) => worker.restart()));
    const [interrupted, later] = await Promise.all([
      delivered(it, eventId),
      delivered(it, emitted),
    ]);
    assert.deepEqual([interrupted.status, later.status], ['delivered', 'delivered']);
    const ids = new Set(it.arrived().map(({ headers }) => headers['webhook-id']));
    assert.deepEqual(ids, new Set([eventId, emitted]));
  });
});
