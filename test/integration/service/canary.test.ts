import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { BSON } from 'mongodb';
import { toCredentials } from '../../../dev/first-account.ts';
import { uploadWorkflowId } from '../../../messages/names.ts';
import { findIn, createCanary, textIn } from './canary.ts';
import {
  call,
  createCustomer,
  eventually,
  type Answer,
  type Customer,
} from '../../harness/customer.ts';
import { isolatedService } from '../customers.ts';

const ISSUING = /\/v1\/(providers\/api-key\/regenerate|keys\/rotate)$/;

describe('a secret', () => {
  const own = isolatedService({ environment: { LOG_LEVEL: 'trace', DEFAULT_PLAN: 'growth' } });
  let customer: Customer;
  const answers: { route: string; answer: Answer }[] = [];
  /** Secrets that must never be readable again. */
  const secrets = new Map<string, string>();
  /** Values that only the customer may read: neither Temporal nor a log may contain them. */
  const issued = new Map<string, string>();
  /** Key ids: allowed in signed URLs only, and sealed in the database. */
  const keyIds = new Map<string, string>();
  const data = new Map<string, string>();
  const hidden = () =>
    new Map([...secrets, ...issued, ...keyIds, ['a signed URL', 'X-Amz-Signature']]);
  const wrong = { secretAccessKey: createCanary('wrong') };

  const send: typeof call = async (baseUrl, route, options) => {
    const answer = await call(baseUrl, route, options);
    answers.push({ route, answer });
    return answer;
  };
  const save = async (changes: Record<string, unknown> = {}) => {
    const body = { ...toCredentials('r2', own.stack.environment), ...changes };
    return await send(own.service.baseUrl, 'POST /v1/providers', { bearer: customer.token, body });
  };
  const workflowOf = (fileId: string) => own.temporal.workflow.getHandle(uploadWorkflowId(fileId));
  const isRefusedIn = (told: unknown) => textIn(told).includes('refused the credentials');
  const expect = async (status: number, asked: Promise<Answer>) => {
    const answer = await asked;
    assert.equal(answer.status, status, answer.text);
    return answer;
  };

  before(async () => {
    const { stack, service } = own;
    customer = await createCustomer(stack, service.baseUrl, ['aws', 'r2'], send);
    const read = (name: string) => stack.environment[name] ?? '';
    secrets.set('secret key of r2', read('STORE_R2_SECRET_ACCESS_KEY'));
    secrets.set('secret key of aws', read('STORE_AWS_SECRET_ACCESS_KEY'));
    secrets.set('wrong secret key', wrong.secretAccessKey);
    secrets.set('key of the vault', read('CREDENTIAL_KEYS').split(':')[1] ?? '');
    secrets.set('dashboard token', customer.token);
    secrets.set('signature of the dashboard token', customer.token.split('.')[2] ?? '');
    issued.set('API key', customer.apiKey);
    keyIds.set('key id of r2', read('STORE_R2_ACCESS_KEY_ID'));
    await live();
  });

  /** Runs uploads from init to delete, including failures. */
  async function live(): Promise<void> {
    const { baseUrl } = own.service;
    const test = async () =>
      await expect(200, customer.manage('POST /v1/providers/test', { provider: 'r2' }));
    assert.equal((await test()).body['ok'], true);
    const name = (what: string) => {
      const fileName = `${what}-${randomUUID()}-é.txt`;
      data.set(`file name of ${what}`, fileName.slice(0, -6));
      return fileName;
    };
    const start = async (what: string, priority: 'hot' | 'cold' = 'hot') => {
      const upload = await customer.send({ fileName: name(what), priority });
      data.set(`object key of ${what}`, `uploads/${upload.fileId}`);
      return upload;
    };
    const one = await start('one');
    await expect(200, customer.complete(one.fileId));
    await expect(200, customer.get(one.fileId));
    await expect(200, customer.delete(one.fileId));
    const elsewhere = await start('elsewhere', 'cold');
    await expect(200, customer.complete(elsewhere.fileId));

    const two = await start('two');
    const three = await start('three');
    await expect(200, save(wrong));
    assert.equal((await test()).body['ok'], false);
    await expect(502, customer.complete(two.fileId));
    await expect(202, customer.delete(three.fileId));
    await eventually('its worker fails, until the credentials are right again', async () =>
      isRefusedIn((await workflowOf(three.fileId).describe()).raw),
    );
    const { secretAccessKey: secret } = wrong;
    for (const more of [
      { region: 'elsewhere' },
      { bucketName: 'X' },
      { secretAccessKey: `${secret} a\n` },
      { note: secret },
      { provider: secret },
      { accessKeyId: `${secret} ` },
    ])
      await expect(400, save({ ...wrong, ...more }));
    for (const [route, bearer] of [
      ['GET /v1/me', wrong.secretAccessKey],
      ['GET /v1/me', customer.token],
      ['GET /v1/providers', customer.apiKey],
    ] as const)
      await expect(401, send(baseUrl, route, { bearer }));
    await expect(404, customer.call(`GET /v1/file/${randomUUID()}`));
    // A log has the path of a call without its query.
    await expect(404, send(baseUrl, `GET /nowhere?${wrong.secretAccessKey}`));
    const sent = { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json' };
    const torn = {
      method: 'POST',
      headers: sent,
      body: `{"secretAccessKey":"${wrong.secretAccessKey}`,
    };
    const refused = await fetch(`${baseUrl}/v1/providers`, torn);
    assert.deepEqual(findIn(await refused.text(), secrets), []);
    await expect(200, save());
    await eventually('its worker has deleted the object', async () =>
      isRefusedIn(await workflowOf(three.fileId).fetchHistory()),
    );
    await expect(200, customer.delete(three.fileId));
    await expect(200, customer.complete(two.fileId));
    await expect(200, customer.delete(two.fileId));

    await expect(200, save({ bucketName: `no-such-bucket-${randomUUID().slice(0, 8)}` }));
    assert.equal((await test()).body['ok'], false);
    const withoutBucket = await customer.init({ fileName: name('without-bucket') });
    await expect(502, customer.complete(withoutBucket.fileId));
    await expect(200, customer.delete(withoutBucket.fileId));
    const rotated = await expect(200, customer.manage('POST /v1/keys/rotate'));
    issued.set('rotated API key', String(rotated.body['newApiKey']));
  }

  it('is detected in every encoding and position', () => {
    const text = createCanary('planted');
    const needles = new Map([['it', text]]);
    for (const before of ['', 'a', 'ab', 'abc']) {
      const longer = Buffer.from(`${before}${text}xyz`);
      const forms = (['utf8', 'base64', 'hex', 'base64url'] as const).map((as) =>
        longer.toString(as),
      );
      for (const form of [...forms, encodeURIComponent(longer.toString())])
        assert.deepEqual(findIn(`noise ${form} noise`, needles), ['it']);
    }
    assert.deepEqual(findIn('nothing of it', needles), []);
    assert.deepEqual(findIn(textIn({ payloads: [{ data: Buffer.from(text) }] }), needles), ['it']);
  });

  it('is in no log of the API or of a worker, at any log level', async () => {
    for (const each of [...own.service.apis, ...own.service.workers]) {
      const log = await each.readLog();
      assert.ok(log.length > 1_000, `${each.name} has logged`);
      assert.deepEqual(findIn(log, hidden()), [], each.name);
    }
  });

  // spec: credentials.write-only
  it('is in no answer, except an API key in the one that issues it', () => {
    assert.ok(answers.length > 20);
    for (const { route, answer } of answers) {
      const text = `${answer.text}\n${JSON.stringify([...answer.headers])}`;
      assert.deepEqual(findIn(text, secrets), [], `${route}: ${answer.text}`);
      if (!ISSUING.test(route)) assert.deepEqual(findIn(text, issued), [], route);
      if (answer.status >= 300) assert.deepEqual(findIn(text, keyIds), [], route);
    }
  });

  it('is in no workflow, and neither is a signed URL, a file name or an object key', async () => {
    const { workflow } = own.temporal;
    const hiddenThere = new Map([...hidden(), ...data]);
    let uploads = 0;
    let failures = 0;
    for await (const listed of workflow.list()) {
      const handle = workflow.getHandle(listed.workflowId, listed.runId);
      const history = await handle.fetchHistory();
      const described = await handle.describe();
      const summary = [await described.staticSummary(), await described.staticDetails()];
      const shown = { history, listed: listed.raw, described: described.raw, summary };
      for (const [what, message] of Object.entries(shown))
        assert.deepEqual(findIn(textIn(message), hiddenThere), [], `${what}: ${listed.workflowId}`);
      if (listed.type === 'upload') uploads += 1;
      if (isRefusedIn(history)) failures += 1;
    }
    assert.ok(uploads >= 5, `${uploads} uploads were looked at`);
    assert.ok(failures >= 1, 'no history tells of the refusing store');
  });

  // spec: credentials.encrypted-at-rest
  it('is in no document of the database', async () => {
    const { db } = own.database;
    let documents = 0;
    for (const { name } of await db.listCollections().toArray()) {
      for await (const document of db.collection(name).find()) {
        const bytes = Buffer.from(BSON.serialize(document));
        assert.deepEqual(findIn(bytes, hidden()), [], `${name} ${String(document._id)}`);
        documents += 1;
      }
    }
    assert.ok(documents >= 10, `${documents} documents were looked at`);
  });
});
