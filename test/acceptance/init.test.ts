import assert from 'node:assert/strict';
import type { Started } from './store.ts';
import { difference, NOTHING, one, withStores } from './tenant.ts';
import { bodyOf, call, requireInvalid, requireRefusal, type ErrorBody } from './wire.ts';

type Field = 'fileName' | 'contentType' | 'fileSizeBytes' | 'priority';

const FITTING = { fileName: 'a.bin', contentType: 'text/plain', fileSizeBytes: 1, priority: 'hot' };
const EMOJI = '😀';
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIMES = 3;

const TAKEN: Readonly<Record<Field, readonly unknown[]>> = {
  fileName: [
    ['a', ' ', '.', '..', 'a'.repeat(1024), EMOJI.repeat(1024), 'reports/2026/a.csv'],
    ['naïve café.txt', '日本語のファイル.pdf', 'عربى.txt', 'e\u0301 decomposed'],
    ['👩‍👩‍👧‍👦 family.png', String.raw`C:\Users\me\a.csv`, '\u00a0\u2028\ufeff'],
    [`"quotes" 'and' <angles> & 100% ; = \\`],
  ].flat(),
  contentType: [
    ['image/png', 'IMAGE/PNG', 'application/vnd.api+json', 'x/y;a=b;c="d e"'],
    ['text/plain; charset=utf-8', 'text/plain;charset="utf-8"'],
    ['multipart/form-data; boundary=a-b_c', 'text/plain;', 'text/plain; ;charset=utf-8'],
    ['video/webm;codecs=vp9,opus', 'video/mp4; codecs=avc1.42E01E,mp4a.40.2', 'x/y;a=,;b=c'],
  ].flat(),
  fileSizeBytes: [0, 1, 2 ** 31, 2 ** 32 + 1, 5_363_466_240, 5_368_709_120],
  priority: ['hot', 'cold', 'archive'],
};

const REFUSED: Readonly<Record<Field, readonly unknown[]>> = {
  fileName: [
    ['', 'a'.repeat(1025), EMOJI.repeat(1025), '\udc00', '\udc00\ud800'],
    Array.from('\n\r\t\0\u001f\u007f\u0085\u009f\ud800', (wrong) => `a${wrong}b`),
    [null, 1, true, ['a'], { a: 1 }],
  ].flat(),
  contentType: [
    ['', 'png', '/', 'image/', '/png', 'image/png/x', 'image /png', ' image/png'],
    ['image/png\r\nX-A: b', 'image/png\n', 'image/pñg', `text/${'a'.repeat(5000)}`],
    ['text/plain; charset', 'text/plain; =utf-8', 'text/plain; a="b', 'text/plain; '],
    ['video/webm,video/mp4', 'video/webm;a,b=c', 'video/webm, codecs=vp9', 'x/y;a=b c'],
    [null, 1, ['image/png']],
  ].flat(),
  fileSizeBytes: [-1, 0.5, 1.000001, '1', '', null, true, [1], {}],
  priority: ['', 'Hot', 'HOT', 'warm', ' hot', null, 0, ['hot'], '__proto__'],
};

describe('Upload init', () => {
  withStores(one, 'aws', 'r2', 'b2');
  afterEach(() => one.clear());

  for (const field of Object.keys(TAKEN) as Field[]) {
    // spec: init-request.content-type, init-request.file-name, init-request.file-size
    // spec: init-request.priority
    it(`takes every ${field} that there is, and gives it back`, async () => {
      for (const value of TAKEN[field]) {
        const { fileId } = await one.start({ ...FITTING, [field]: value });
        assert.deepEqual((await one.file(fileId))[field], value);
      }
    });

    // spec: init-request.content-type, init-request.file-name, init-request.file-size
    // spec: init-request.priority
    it(`refuses each of ${REFUSED[field].length} wrong values of ${field}, and names the field`, async () => {
      for (const value of REFUSED[field])
        requireInvalid(await one.announce({ ...FITTING, [field]: value }), `/${field}`);
    });
  }

  // spec: file.id, retries.init, retries.no-idempotency-key, state.none-pending-file-id
  // spec: versioning.not-in-v1
  it('makes a new pending file each time, with any Idempotency-Key header', async () => {
    const before = await one.usage();
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const json = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 5 };
    const token = await one.key();
    const started: Started[] = [];
    for (let times = 0; times < TIMES; times += 1) {
      const answer = await call('POST', '/v1/upload/init', { token, headers, json });
      started.push(bodyOf(answer, 201) as Started);
    }
    assert.equal(new Set(started.map(({ fileId }) => fileId)).size, TIMES);
    assert.equal(new Set(started.map(({ presignedUrl }) => presignedUrl)).size, TIMES);
    for (const { fileId } of started) {
      assert.match(fileId, UUID_V4);
      assert.equal((await one.file(fileId)).status, 'pending');
    }
    const booked = { bookedBytes: TIMES * json.fileSizeBytes, uploadsBooked: TIMES };
    assert.deepEqual(difference(before, await one.usage()), { ...NOTHING, ...booked });
    for (const { fileId } of started) bodyOf(await one.delete(fileId), 200);
  });

  // spec: endpoint.upload-init, endpoints.priority-optional, errors.invalid-body
  it('names each required field that is missing, and takes hot where no priority is named', async () => {
    requireInvalid(await one.announce({}), '/contentType', '/fileName', '/fileSizeBytes');
    const { priority: _priority, ...rest } = FITTING;
    const { fileId, provider } = await one.start(rest);
    assert.equal(provider, 'r2');
    assert.equal((await one.file(fileId)).priority, 'hot');
  });

  const announceAs = async (fileSizeBytes: string) => {
    const body = `{"fileName":"a","contentType":"text/plain","fileSizeBytes":${fileSizeBytes}}`;
    const headers = { 'content-type': 'application/json' };
    return call('POST', '/v1/upload/init', { token: await one.key(), headers, body });
  };

  // spec: init-request.file-size
  it('takes a whole number however it is written', async () => {
    for (const text of ['1000', '1000.0', '1e3', '0.1e4']) {
      const { fileId } = bodyOf(await announceAs(text), 201) as { fileId: string };
      assert.equal((await one.file(fileId)).fileSizeBytes, 1000);
      bodyOf(await one.delete(fileId), 200);
    }
  });

  it('refuses sizes above 2^53 - 1, and books nothing', async () => {
    const before = await one.usage();
    for (const text of ['9007199254740992', '9007199254740993', '1e300', '1e400', '-1e400'])
      requireRefusal(await announceAs(text), 400, 'invalid_request');
    const largest = await one.announce({ ...FITTING, fileSizeBytes: Number.MAX_SAFE_INTEGER });
    assert.ok([400, 402].includes(largest.status), `answered with ${largest.status}`);
    assert.deepEqual(await one.usage(), before);
  });
});

/** What is wrong with an init, and how it is refused without any store. */
const WITHOUT_STORES: readonly [what: string, change: object, code: string][] = [
  ['a size that is none', { fileSizeBytes: -1 }, 'invalid_request'],
  ['an unknown field', { unknown: 1 }, 'invalid_request'],
  ['a cold file', { priority: 'cold' }, 'no_providers_configured'],
  ['a file to archive', { priority: 'archive' }, 'no_providers_configured'],
  ['too large a size', { fileSizeBytes: 6 * 1024 ** 3 }, 'no_providers_configured'],
];

/** More bytes than the monthly quota of this account. */
async function moreThanTheQuota(): Promise<number> {
  const { usage, plan } = await one.me();
  assert.ok(
    usage.gbQuota !== null && usage.gbQuota * 1e9 < Number.MAX_SAFE_INTEGER,
    `This test needs a plan with a monthly quota in gigabytes; the account's plan is ${plan}.`,
  );
  return usage.gbQuota * 1e9 + 1;
}

/** Who asks comes first of all: `unit/api/routes`; the form of a request next: `contract/endpoint-form`. */
describe('The order of refusals', () => {
  after(() => one.clear());

  // spec: errors.no-providers, routing.fails-without-any-store, state.none-pending-plan
  // spec: upload-sequence.order
  it('is the form, the plan, the missing stores; none of them books anything', async () => {
    await one.configure();
    const before = await one.usage();
    for (const [what, change, code] of WITHOUT_STORES) {
      const answer = await one.announce({ ...FITTING, ...change });
      assert.deepEqual([answer.status, (answer.json() as ErrorBody).code], [400, code], what);
    }
    const large = await one.announce({ ...FITTING, fileSizeBytes: await moreThanTheQuota() });
    requireRefusal(large, 402, 'plan_limit');
    assert.deepEqual(await one.usage(), before);
    const fileId = crypto.randomUUID();
    for (const ask of [one.complete, one.get, one.delete])
      requireRefusal(await ask(fileId), 404, 'file_not_found');
  });

  // spec: errors.plan-limit, state.none-pending-plan
  it('puts the plan before a size that no store takes; neither books anything', async () => {
    await one.configure('aws', 'r2', 'b2');
    const before = await one.usage();
    const large = await one.announce({ ...FITTING, fileSizeBytes: await moreThanTheQuota() });
    requireRefusal(large, 402, 'plan_limit');
    const refused = await one.announce({ ...FITTING, fileSizeBytes: 5_368_709_121 });
    requireRefusal(refused, 400, 'file_too_large');
    assert.deepEqual(await one.usage(), before);
    bodyOf(await one.announce(FITTING), 201);
  });
});
