import assert from 'node:assert/strict';
import type { Started } from './store.ts';
import { difference, NOTHING, one, withStores } from './tenant.ts';
import { bodyOf, call, requireInvalid, requireRefusal } from './wire.ts';

type Field = 'fileName' | 'contentType' | 'fileSizeBytes' | 'priority';

const FITTING = { fileName: 'a.bin', contentType: 'text/plain', fileSizeBytes: 1, priority: 'hot' };
const EMOJI = '😀';
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIMES = 3;

/** Valid and invalid values of each field. */
const TAKEN: Readonly<Record<Field, readonly unknown[]>> = {
  fileName: [
    'a',
    ' ',
    '.',
    '..',
    'a'.repeat(1024),
    EMOJI.repeat(1024),
    'naïve café.txt',
    '日本語のファイル.pdf',
    'عربى.txt',
    'e\u0301 decomposed',
    '👩‍👩‍👧‍👦 family.png',
    'reports/2026/a.csv',
    String.raw`C:\Users\me\a.csv`,
    `"quotes" 'and' <angles> & 100% ; = \\`,
    '\u00a0\u2028\ufeff',
  ],
  contentType: [
    'image/png',
    'IMAGE/PNG',
    'application/vnd.api+json',
    'text/plain; charset=utf-8',
    'text/plain;charset="utf-8"',
    'multipart/form-data; boundary=a-b_c',
    'x/y;a=b;c="d e"',
  ],
  fileSizeBytes: [0, 1, 2 ** 31, 2 ** 32 + 1, 5_363_466_240, 5_368_709_120],
  priority: ['hot', 'cold', 'archive'],
};

const REFUSED: Readonly<Record<Field, readonly unknown[]>> = {
  fileName: [
    '',
    'a'.repeat(1025),
    EMOJI.repeat(1025),
    'a\nb',
    'a\rb',
    'a\tb',
    'a\u0000b',
    'a\u001fb',
    'a\u007fb',
    'a\u0085b',
    'a\u009fb',
    'a\ud800b',
    '\udc00',
    '\udc00\ud800',
    null,
    1,
    true,
    ['a'],
    { a: 1 },
  ],
  contentType: [
    '',
    'png',
    '/',
    'image/',
    '/png',
    'image/png/x',
    'image /png',
    ' image/png',
    'image/png\r\nX-A: b',
    'image/png\n',
    'image/pñg',
    'text/plain; charset',
    'text/plain; =utf-8',
    'text/plain; a="b',
    `text/${'a'.repeat(5000)}`,
    null,
    1,
    ['image/png'],
  ],
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

    for (const value of REFUSED[field]) {
      // spec: init-request.content-type, init-request.file-name, init-request.file-size
      // spec: init-request.priority
      it(`refuses ${field} ${shown(value)}, and names the field`, async () => {
        requireInvalid(await one.announce({ ...FITTING, [field]: value }), `/${field}`);
      });
    }
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

  // spec: endpoint.upload-init, errors.invalid-body
  it('refuses each required field where it is missing, and names all of them at once', async () => {
    requireInvalid(await one.announce({}), '/contentType', '/fileName', '/fileSizeBytes');
  });

  // spec: endpoints.priority-optional
  it('takes hot where no priority is named', async () => {
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

/** A value in a test title: short and printable. */
function shown(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(
    /[^ -~]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return text.length <= 50 ? text : `${text.slice(0, 30)}… (${String(value).length} units)`;
}
