import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { Client, Connection } from '@temporalio/client';
import { Router } from '@koa/router';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import { openMongo } from '../../adapters/mongo/common/open.ts';
import { createStoreHttp } from '../../adapters/object-store/http-client.ts';
import { createObjectStores } from '../../adapters/object-store/s3-store.ts';
import { createStoreClocks } from '../../adapters/object-store/store-clocks.ts';

/**
 * The floor of `npm run bench:uploads`: Koa, the product's store adapter and its settings of the
 * MongoDB driver, and one plain call of Temporal's client. No authentication, no rate limit, no
 * validation, no rule. Its workflows are delayed by a day on a queue without a worker.
 */
const env = (name: string): string => process.env[name] ?? '';
const TIMEOUT = { timeoutMs: 4_000 };
const OBJECT = { headers: {}, sizeBytes: 8, body: Buffer.from('8 bytes.') };

const store = createObjectStores({
  http: createStoreHttp({ maxSocketsPerBucket: 64 }),
  findEndpoint: () => ({ origin: env('PROVIDER_ENDPOINT_R2'), pathStyle: true }),
  clocks: createStoreClocks(),
})(
  {
    provider: 'r2',
    bucketName: env('STORE_R2_BUCKET'),
    region: env('STORE_R2_REGION'),
    accountId: env('STORE_R2_ACCOUNT_ID'),
  },
  {
    accessKeyId: env('STORE_R2_ACCESS_KEY_ID'),
    secretAccessKey: env('STORE_R2_SECRET_ACCESS_KEY'),
  },
);
const { db } = openMongo({ uri: env('MONGODB_URI'), database: 'floor' });
const files = db.collection<{ _id: string; status: string; [field: string]: unknown }>('files');
const usage = db.collection<{ _id: string; recordedAt: Date }>('usage');
const connection = await Connection.connect({ address: env('TEMPORAL_ADDRESS') });
const { workflow } = new Client({ connection, namespace: env('TEMPORAL_NAMESPACE') });

const toKey = (fileId: string): string => `floor/${fileId}`;
const toWorkflowId = (fileId: string): string => `floor/${fileId}`;

/** One insert and one awaited start of a delayed workflow. */
async function init(announcement: object): Promise<string> {
  const fileId = randomUUID();
  await workflow.start('floor', {
    taskQueue: 'floor',
    workflowId: toWorkflowId(fileId),
    args: [{ fileId }],
    startDelay: '1 day',
  });
  await files.insertOne({ _id: fileId, status: 'pending', createdAt: new Date(), ...announcement });
  return fileId;
}

async function setStatus(fileId: string, from: string, status: string): Promise<void> {
  await files.updateOne({ _id: fileId, status: from }, { $set: { status, changedAt: new Date() } });
}

/** One HEAD, an update, an insert, and one plain signal, which does not wake the delayed workflow. */
async function complete(fileId: string): Promise<void> {
  if (!(await store.head(toKey(fileId), TIMEOUT))) throw new Error('the object is missing');
  await setStatus(fileId, 'pending', 'active');
  await usage.insertOne({ _id: fileId, recordedAt: new Date() });
  await workflow.getHandle(toWorkflowId(fileId)).signal('completed');
}

/** One DELETE, two updates, and one plain signal. */
async function remove(fileId: string): Promise<void> {
  await setStatus(fileId, 'active', 'deleting');
  await store.delete(toKey(fileId), TIMEOUT);
  await setStatus(fileId, 'deleting', 'deleted');
  await workflow.getHandle(toWorkflowId(fileId)).signal('deleted');
}

/** One HEAD and three writes, as fast as this process can do them. */
async function timeDirect(count: number): Promise<number[]> {
  const ms: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const fileId = randomUUID();
    await store.write(toKey(fileId), OBJECT, TIMEOUT);
    await files.insertOne({ _id: fileId, status: 'pending' });
    const startedAt = performance.now();
    await store.head(toKey(fileId), TIMEOUT);
    await setStatus(fileId, 'pending', 'active');
    await usage.insertOne({ _id: fileId, recordedAt: new Date() });
    await setStatus(fileId, 'active', 'settled');
    ms.push(performance.now() - startedAt);
  }
  return ms;
}

const router = new Router();
const readBody = (ctx: Koa.Context): object => (ctx.request as { body?: object }).body ?? {};
router.get('/health', (ctx) => void (ctx.body = {}));
router.post('/init', async (ctx) => {
  ctx.body = { fileId: await init(readBody(ctx)) };
  ctx.status = 201;
});
router.post('/seed', async (ctx) => {
  const fileId = await init(readBody(ctx));
  await store.write(toKey(fileId), OBJECT, TIMEOUT);
  ctx.body = { fileId };
  ctx.status = 201;
});
router.post('/complete', async (ctx) => {
  const { fileId } = readBody(ctx) as { fileId: string };
  await complete(fileId);
  ctx.body = { fileId, status: 'active' };
});
router.delete('/file/:fileId', async (ctx) => {
  const fileId = ctx.params['fileId'] ?? '';
  await remove(fileId);
  ctx.body = { fileId, status: 'deleted' };
});
router.post('/direct', async (ctx) => {
  ctx.body = { ms: await timeDirect((readBody(ctx) as { count: number }).count) };
});

new Koa()
  .use(koaBody())
  .use(router.routes())
  .listen(Number(env('PORT')), '127.0.0.1');
