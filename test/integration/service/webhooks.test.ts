import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import type { WebhookContext } from '../../../activities/contexts.ts';
import { createDeliveryActivities } from '../../../activities/webhooks/deliver.ts';
import { createVault } from '../../../adapters/vault/vault.ts';
import { createWebhookSender } from '../../../adapters/webhooks/sender.ts';
import { addWebhook, rotateSecret } from '../../../operations/webhooks/webhooks.ts';
import type { Db } from 'mongodb';
import { Webhooks } from '../../../adapters/mongo/webhooks/webhooks.ts';
import type { Webhook } from '../../../domain/webhooks/webhook.ts';
import { openMongoProxy } from '../../harness/mongo-proxy.ts';
import { localServers } from '../../servers.ts';
import { activityOf, actorOf } from '../../harness/actor.ts';
import { assertRefused, createCustomer, eventually } from '../../harness/customer.ts';
import { startNameServer } from '../../harness/name-server.ts';
import { opened } from '../../harness/opened.ts';
import { stubbed } from '../../harness/stubbed.ts';
import { isolatedService } from '../customers.ts';
import { race, testDatabase } from '../adapters/database.ts';

const MAX_WEBHOOKS = 10;
const URL_OF_CHANNEL = 'https://hooks.slack.com/services/T01234567/B89012345/abcdefABCDEF0123';
const MASKED = 'https://hooks.slack.com/services/T…/…';

interface Listed {
  readonly webhookId: string;
  readonly url: string;
  readonly disabledAt: string | null;
}

/** Without a worker: nothing is published or delivered. */
describe('the webhooks of an account', () => {
  const names = opened(() =>
    startNameServer({ 'one-family.example': '93.184.215.14', 'hooks.slack.com': '93.184.215.15' }),
  );
  const proxy = opened(async () => await openMongoProxy((await localServers()).mongodbUri));
  const service = isolatedService({
    workerCount: 0,
    get environment() {
      const WEBHOOK_PRIVATE_HOSTS = 'receiver.internal';
      return { ...names.environment, WEBHOOK_PRIVATE_HOSTS, MONGODB_URI: proxy.uri };
    },
  });

  const database = testDatabase();

  async function newCustomer() {
    const { stack, service: running, database } = service;
    const customer = await createCustomer(stack, running.baseUrl, []);
    const { accountId, manage } = customer;
    const add = async (more: object = {}) =>
      await manage('POST /v1/webhooks', {
        url: 'https://receiver.internal/',
        events: ['scan.completed'],
        ...more,
      });
    return {
      ...customer,
      add,
      async added(more: object = {}): Promise<Listed> {
        const answer = await add(more);
        assert.equal(answer.status, 201, answer.text);
        return answer.body as unknown as Listed;
      },
      async listed() {
        const { body } = await manage('GET /v1/webhooks');
        return body['items'] as readonly Listed[];
      },
      stored: async () => JSON.stringify(await database.read('webhooks', { _id: accountId })),
      collection: database.db.collection<{ _id: string }>('webhooks'),
    };
  }

  it('are ten also where all are the first, and none once all are removed at once', async () => {
    const { add, listed, manage } = await newCustomer();
    const answers = await race(MAX_WEBHOOKS, async () => (await add()).status);
    assert.deepEqual(answers, Array(MAX_WEBHOOKS).fill(201));
    assertRefused(await add(), { status: 409, code: 'too_many_webhooks' });
    const items = await listed();
    assert.equal(items.length, MAX_WEBHOOKS);
    const removed = await Promise.all(
      items.map(async ({ webhookId }) => (await manage(`DELETE /v1/webhooks/${webhookId}`)).status),
    );
    assert.deepEqual(removed, Array(MAX_WEBHOOKS).fill(204));
    assert.deepEqual(await listed(), []);
  });

  it('are changed each by itself while others are removed', async () => {
    const { accountId, added, listed, manage, collection } = await newCustomer();
    const items = [];
    for (let count = 0; count < MAX_WEBHOOKS; count += 1) items.push(await added());
    const since = new Date();
    const set = { 'items.8.disabledAt': since, 'items.8.failingSince': since };
    await collection.updateOne({ _id: accountId }, { $set: set });
    const [disabled, rotated] = items.slice(-2).map(({ webhookId }) => webhookId);
    const calls = [
      ...items.slice(0, 8).map(({ webhookId }) => `DELETE /v1/webhooks/${webhookId}`),
      `POST /v1/webhooks/${disabled}/enable`,
      `POST /v1/webhooks/${rotated}/rotate`,
    ];
    const statuses = await Promise.all(calls.map(async (each) => (await manage(each)).status));
    assert.deepEqual(statuses, [...Array<number>(8).fill(204), 200, 200]);
    assert.deepEqual(
      (await listed()).map(({ webhookId, disabledAt }) => [webhookId, disabledAt]),
      [disabled, rotated].map((webhookId) => [webhookId, null]),
    );
    const [document] = await service.database.read('webhooks', { _id: accountId });
    const [first, second] = (document ?? assert.fail())['items'] as readonly object[];
    assert.ok(!Object.hasOwn(first ?? assert.fail(), 'failingSince'));
    assert.ok(Object.hasOwn(second ?? assert.fail(), 'earlier'));
  });

  it('get ten tests while none is sent; the next ones are refused, with the time to wait', async () => {
    const { added, manage, stored } = await newCustomer();
    const { webhookId } = await added();
    const answers = await race(30, async () => await manage(`POST /v1/webhooks/${webhookId}/test`));
    const sent = answers.filter(({ status }) => status === 202);
    assert.equal(sent.length, 10);
    for (const answer of answers.filter((each) => !sent.includes(each))) {
      assertRefused(answer, { status: 429, code: 'rate_limited' });
      assert.equal(answer.headers.get('retry-after'), '60');
    }
    const document = await stored();
    for (const { body } of sent) assert.ok(document.includes(String(body['eventId'])));
  });

  it('of a channel have an address that is a secret, shown once', async () => {
    const { added, listed, manage, stored } = await newCustomer();
    const { url, webhookId } = await added({ url: URL_OF_CHANNEL, format: 'slack' });
    assert.equal(url, URL_OF_CHANNEL);
    const elsewhere = 'https://receiver.internal/hooks/secret?token=secret#secret';
    await added({ url: elsewhere, format: 'slack' });
    const shown = [MASKED, 'https://receiver.internal/…'];
    assert.deepEqual(
      (await listed()).map((each) => each.url),
      shown,
    );
    const { body } = await manage(`POST /v1/webhooks/${webhookId}/enable`);
    assert.equal(body['url'], MASKED);
    assert.doesNotMatch(await stored(), /B89012345|abcdef|secret\?token/);
    const log = (await Promise.all(service.service.apis.map((api) => api.readLog()))).join('');
    assert.doesNotMatch(log, /B89012345|token=secret/);
  });

  it('of a channel show their address masked also where it is stored as it is', async () => {
    const { accountId, added, listed, collection } = await newCustomer();
    await added({ url: URL_OF_CHANNEL, format: 'slack' });
    const plain = {
      $set: { 'items.0.url': URL_OF_CHANNEL },
      $unset: { 'items.0.sealedUrl': true },
    } as const;
    await collection.updateOne({ _id: accountId }, plain);
    assert.equal((await listed())[0]?.url, MASKED);
  });

  it('have names of which one question is never answered, and not those of which none is', async () => {
    const { add, added, listed } = await newCustomer();
    await added({ url: 'https://one-family.example/' });
    const refused = await add({ url: 'https://silent.example/' });
    assertRefused(refused, { status: 400, code: 'invalid_request' });
    assert.match(refused.text, /cannot be resolved/);
    assert.equal((await listed()).length, 1);
  });

  it('are not added, nor get a secret, once the time of the call has passed: its caller would not learn it', async () => {
    const { webhooks, deliveries, activities } = database.records;
    const deps = {
      webhooks,
      deliveries,
      activities,
      requests: { remainingMs: () => 0 },
      sender: createWebhookSender({ ports: [], privateHosts: ['receiver.internal'] }),
      vault: createVault([{ keyId: 'k1', key: randomBytes(32) }]),
      now: () => new Date(),
      onBackgroundError: (error: unknown) => assert.fail(String(error)),
    };
    const request = { url: 'https://receiver.internal/', events: ['scan.completed' as const] };
    const added = addWebhook(deps, actorOf('late'), request);
    await assert.rejects(added, { code: 'unavailable' });
    assert.deepEqual(await webhooks.listWebhooks('late'), []);
    const webhook = webhookOf(randomUUID());
    await webhooks.addWebhook('late', webhook, activityOf('late', 'webhook.added'));
    const rotated = rotateSecret(deps, actorOf('late'), webhook.webhookId);
    await assert.rejects(rotated, { code: 'unavailable' });
    assert.deepEqual(await webhooks.listWebhooks('late'), [webhook]);
  });

  it('are added by a second attempt where the first one meets another first webhook', async () => {
    const [accountId, other] = [randomUUID(), randomUUID()];
    const collection = database.db.collection<{ _id: string }>('webhooks');
    let isFirst = true;
    const meeting = new Proxy(collection, {
      get: (target, name) =>
        name === 'updateOne' && isFirst
          ? async () => {
              isFirst = false;
              await database.records.webhooks.addWebhook(
                accountId,
                webhookOf(other),
                added(accountId),
              );
              // What an upsert becomes that has found no document.
              return await collection.insertOne({ _id: accountId });
            }
          : (Reflect.get(target, name) as () => unknown).bind(target),
    });
    const added = (id: string) => activityOf(id, 'webhook.added');
    const webhooks = new Webhooks({ collection: () => meeting } as unknown as Db);
    const own = randomUUID();
    assert.equal(await webhooks.addWebhook(accountId, webhookOf(own), added(accountId)), true);
    const ids = (await webhooks.listWebhooks(accountId)).map(({ webhookId }) => webhookId);
    assert.deepEqual(ids, [other, own]);
  });

  describe('with deliveries', () => {
    const deliveriesOf = (accountId: string, webhookId: string, count: number) =>
      Array.from({ length: count }, () => {
        const eventId = randomUUID();
        const key = { _id: `${eventId}/${webhookId}`, eventId, webhookId, accountId };
        return { ...key, status: 'delivered', createdAt: new Date() };
      });
    const collectionOf = ({ db }: { db: Db }) =>
      db.collection<{ _id: string }>('webhookDeliveries');

    it('have them removed by calls of which each removes some', async () => {
      const [accountId, webhookId, other] = [randomUUID(), randomUUID(), randomUUID()];
      const collection = collectionOf(database);
      await collection.insertMany(deliveriesOf(accountId, webhookId, 1_100));
      await collection.insertMany(deliveriesOf(accountId, other, 1));
      const { deliveries } = database.records;
      const mayBeMore = [];
      for (let call = 0; call < 3; call += 1)
        mayBeMore.push(await deliveries.removeOf({ accountId, webhookId }));
      assert.deepEqual(mayBeMore, [true, true, false]);
      assert.equal(await collection.countDocuments({ accountId }), 1);
    });

    it('that are gone have those that are left removed by an attempt, its own first', async () => {
      const [accountId, webhookId] = [randomUUID(), randomUUID()];
      const collection = collectionOf(database);
      const left = deliveriesOf(accountId, webhookId, 1_100);
      await collection.insertMany(left);
      const { attemptDelivery } = createDeliveryActivities(
        stubbed<WebhookContext>({
          ...database.records,
          sender: createWebhookSender({ ports: [], privateHosts: [] }),
          vault: createVault([]),
          now: () => new Date(),
        }),
      );
      const { _id, eventId } = left.at(-1) ?? assert.fail();
      await attemptDelivery({ accountId, webhookId, eventId });
      assert.equal(await collection.findOne({ _id }), null);
      assert.ok((await collection.countDocuments({ accountId })) <= 600);
    });

    it('are removed at once, and these in the background, however long it takes', async () => {
      const { accountId, added, listed, manage } = await newCustomer();
      const [{ webhookId }, other] = [await added(), await added()];
      const collection = collectionOf(service.database);
      await collection.insertMany(deliveriesOf(accountId, webhookId, 1_100));
      const left = async () => await collection.countDocuments({ accountId });
      assert.equal((await manage(`DELETE /v1/webhooks/${webhookId}`)).status, 204);
      await eventually('they are removed', async () => (await left()) === 0);
      proxy.swallow('delete', 'webhookDeliveries');
      await collection.insertMany(deliveriesOf(accountId, other.webhookId, 1));
      assert.equal((await manage(`DELETE /v1/webhooks/${other.webhookId}`)).status, 204);
      assert.deepEqual([await listed(), await left()], [[], 1]);
    });
  });
});

function webhookOf(webhookId: string): Webhook {
  return {
    webhookId,
    url: 'https://receiver.internal/',
    events: ['scan.completed'],
    format: 'standard',
    secret: { keyId: 'k1', nonce: '', ciphertext: '', tag: '' },
    createdAt: new Date(),
    disabledAt: null,
  };
}
