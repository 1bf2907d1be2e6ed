import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { toCredentials } from '../../dev/first-account.ts';
import type { Relocation } from '../../sdk/src/index.ts';
import { createCustomer, eventually } from '../harness/customer.ts';
import { isolatedService } from './customers.ts';

describe('a relocation', () => {
  const service = isolatedService({
    environment: {
      DEFAULT_PLAN: 'growth',
      DOWNLOAD_URL_SECONDS: '12',
      RELOCATION_DRAIN_SECONDS: '1',
      UPLOAD_URL_SECONDS: '3',
    },
  });

  async function newCustomer() {
    const { stack, service: own } = service;
    const customer = await createCustomer(stack, own.baseUrl, ['r2']);
    const r2 = toCredentials('r2', stack.environment);
    const b2 = toCredentials('b2', stack.environment);
    const from = { provider: 'r2', bucketName: r2.bucketName };
    const upload = async (count: number) => {
      const files = [];
      for (let at = 0; at < count; at += 1) {
        const bytes = randomBytes(1 + at * 1_000);
        const announced = await customer.init({ sizeBytes: bytes.length });
        await customer.put({ ...announced, bytes });
        const completed = await customer.complete(announced.fileId);
        assert.equal(completed.status, 200, completed.text);
        files.push({ fileId: announced.fileId, bytes });
      }
      return files;
    };
    const files = await upload(5);
    const saved = await customer.manage('POST /v1/providers', b2);
    assert.equal(saved.status, 200, saved.text);
    const start = (body: object = {}) =>
      customer.manage('POST /v1/relocations', { from, to: 'b2', maxTotalUsd: 1, ...body });
    const read = async (id: string) => {
      const answer = await customer.manage(`GET /v1/relocations/${id}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body as unknown as Relocation;
    };
    const report = async (id: string) => {
      const headers = { authorization: `Bearer ${customer.token}` };
      const answer = await fetch(`${own.baseUrl}/v1/relocations/${id}/report`, { headers });
      return (await answer.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    const until = async (id: string, status: Relocation['status']) => {
      let last: Relocation | undefined;
      await eventually(`the relocation is ${status}: ${JSON.stringify(last)}`, async () => {
        last = await read(id);
        return last.status === status;
      });
      return await read(id);
    };
    const replaceObject = async (fileId: string, body: Buffer) => {
      const [stored] = await service.database.read('files', { _id: fileId });
      const s3 = new S3Client({
        endpoint: stack.environment['PROVIDER_ENDPOINT_R2'] ?? '',
        forcePathStyle: true,
        region: 'auto',
        credentials: r2,
      });
      const Key = String(stored?.['objectKey']);
      await s3.send(new PutObjectCommand({ Bucket: r2.bucketName, Key, Body: body }));
      s3.destroy();
    };
    return {
      ...customer,
      replaceObject,
      b2: b2.bucketName,
      from,
      files,
      upload,
      start,
      read,
      report,
      until,
    };
  }

  it('moves every file: its link answers before, during and after, and the old objects go once no URL reaches them', async () => {
    const customer = await newCustomer();
    const { files } = customer;
    const locationOf = async (fileId: string) => {
      const { body } = await customer.get(fileId);
      return body as { provider: string; downloadUrl: string };
    };
    const estimated = await customer.start({ dryRun: true, maxTotalUsd: undefined });
    assert.equal(estimated.status, 200, estimated.text);
    assert.equal(estimated.body['files'], 5);
    const before = await locationOf(files[0]?.fileId ?? '');
    const started = await customer.start();
    assert.equal(started.status, 202, started.text);
    const id = String(started.body['relocationId']);
    const again = await customer.start();
    if (again.status !== 202) assert.equal(again.body['code'], 'relocation_running');
    const draining = await customer.until(id, 'draining');
    assert.deepEqual(draining.progress.filesMoved, 5, JSON.stringify(draining));
    assert.equal((await fetch(before.downloadUrl)).status, 200);
    for (const { fileId, bytes } of files) {
      const { provider, downloadUrl } = await locationOf(fileId);
      assert.equal(provider, 'b2');
      const read = Buffer.from(await (await fetch(downloadUrl)).arrayBuffer());
      assert.ok(read.equals(bytes));
    }
    await customer.until(id, 'completed');
    const lines = await customer.report(id);
    assert.equal(lines.length, 6);
    for (const { fileId, bytes } of files) {
      const line = lines.find((each) => each['fileId'] === fileId);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      assert.equal(line?.['outcome'], 'moved');
      assert.equal(line['sha256'], sha256);
      assert.ok(line['sourceDeletedAt']);
    }
  });

  it('is refused where nothing could be moved, and where it costs more than is allowed', async () => {
    const { start, from, manage } = await newCustomer();
    const refused = async (body: object, code: string) => {
      const answer = await start(body);
      assert.equal(answer.body['code'], code, answer.text);
    };
    await refused({ from: { ...from, bucketName: 'another' } }, 'invalid_request');
    await refused({ to: 'r2' }, 'invalid_request');
    await refused({ to: 'aws' }, 'provider_not_configured');
    await refused({ maxTotalUsd: undefined }, 'invalid_request');
    await refused({ maxTotalUsd: 0 }, 'quote_exceeded');
    const { body } = await manage('GET /v1/relocations');
    assert.deepEqual(body['items'], []);
  });

  it('skips a deleted file, fails one that is not as it was uploaded, and a deleted file is readable nowhere', async () => {
    const customer = await newCustomer();
    const [deleted, changed, moved] = customer.files;
    assert.ok(deleted && changed && moved);
    await customer.replaceObject(changed.fileId, Buffer.from('another object'));
    const { body: view } = await customer.get(moved.fileId);
    const started = await customer.start();
    const id = String(started.body['relocationId']);
    const ended = await customer.until(id, 'draining');
    assert.deepEqual(
      ended.failures.map(({ fileId, code }) => [fileId, code]),
      [[changed.fileId, 'object_changed']],
    );
    assert.equal((await customer.get(changed.fileId)).body['provider'], 'r2');
    assert.equal((await customer.delete(moved.fileId)).status, 200);
    assert.equal((await fetch(String(view['downloadUrl']))).status, 404);
    assert.equal((await customer.delete(deleted.fileId)).status, 200);
    await customer.until(id, 'completed_with_failures');
  });

  it('moves files back once their old objects are gone, and not before', async () => {
    const customer = await newCustomer();
    const first = String((await customer.start()).body['relocationId']);
    await customer.until(first, 'draining');
    const back = await customer.start({
      from: { provider: 'b2', bucketName: customer.b2 },
      to: 'r2',
    });
    const second = String(back.body['relocationId']);
    const skipped = await customer.until(second, 'completed');
    assert.equal(skipped.progress.filesSkipped, 5);
    const lines = await customer.report(second);
    assert.ok(lines.slice(0, 5).every(({ code }) => code === 'old_object_waits'));
    await customer.until(first, 'completed');
    const again = await customer.start({
      from: { provider: 'b2', bucketName: customer.b2 },
      to: 'r2',
    });
    const third = await customer.until(String(again.body['relocationId']), 'draining');
    assert.equal(third.progress.filesMoved, 5);
    for (const { fileId, bytes } of customer.files) {
      const { body } = await customer.get(fileId);
      const read = await fetch(String(body['downloadUrl']));
      assert.ok(Buffer.from(await read.arrayBuffer()).equals(bytes));
    }
  });
});
