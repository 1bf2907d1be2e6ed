import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { baseName } from '../../../domain/uploads/file-name.ts';
import { openStoreAt } from './raw-stores.ts';

const store = openStoreAt({});

const urlFor = (fileName: string): Promise<string> =>
  store.presignDownload({
    key: 'k',
    fileName,
    expiresInSeconds: 60,
    signedAt: new Date('2026-11-20T12:00:00Z'),
  });

/** The header that a store will send back, as it stands in the URL. */
async function headerFor(fileName: string): Promise<string> {
  const url = await urlFor(fileName);
  return decodeURIComponent(/[?&]response-content-disposition=([^&]*)/.exec(url)?.[1] ?? '');
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+/;
const QUOTED = /^"((?:[^"\\]|\\.)*)"/s;

/** A reader of RFC 6266 that forgives nothing; extended values by RFC 8187, UTF-8 only. */
function parseDisposition(header: string): { type: string; parameters: Map<string, string> } {
  const type = TOKEN.exec(header)?.[0] ?? assert.fail(`no type in ${header}`);
  const parameters = new Map<string, string>();
  let rest = header.slice(type.length);
  while (rest !== '') {
    const [lead, name = ''] = /^; ?([a-z]+\*?)=/.exec(rest) ?? assert.fail(`stray text: ${rest}`);
    rest = rest.slice(lead.length);
    const quoted = QUOTED.exec(rest);
    const [raw, value = ''] = quoted ?? [TOKEN.exec(rest)?.[0] ?? assert.fail(rest)];
    assert.ok(!parameters.has(name), `${name} twice`);
    parameters.set(name, quoted ? value.replaceAll(/\\(.)/gs, '$1') : raw);
    rest = rest.slice(raw.length);
  }
  return { type, parameters };
}

function nameOf(parameters: Map<string, string>): string | undefined {
  const extended = parameters.get('filename*');
  if (extended === undefined) return parameters.get('filename');
  const [, encoded] =
    /^UTF-8''((?:[!#$&+.^_`|~0-9A-Za-z-]|%[0-9A-F]{2})*)$/.exec(extended) ?? assert.fail(extended);
  return decodeURIComponent(encoded ?? '');
}

async function holds(fileName: string): Promise<void> {
  const header = await headerFor(fileName);
  assert.match(header, /^[\x20-\x7e]+$/, 'nothing but printable ASCII');
  const { type, parameters } = parseDisposition(header);
  assert.equal(type, 'attachment');
  assert.ok(parameters.has('filename'), 'old clients read only the plain one');
  const whole = baseName(fileName) || 'file';
  const name = nameOf(parameters) ?? assert.fail('no name');
  if (Buffer.byteLength(whole) <= MAX_NAME_BYTES) assert.equal(name, whole);
  else requireCut(name, whole);
}

const MAX_NAME_BYTES = 200;

/** The beginning and the extension stay, and no character more is lost than must be. */
function requireCut(name: string, whole: string): void {
  const bytes = Buffer.byteLength(name);
  assert.ok(bytes <= MAX_NAME_BYTES && bytes > MAX_NAME_BYTES - 4, `${bytes} bytes`);
  const [, extension = ''] = /^.+(\.[a-z]{1,10})$/su.exec(whole) ?? [];
  assert.ok(name.endsWith(extension), name);
  const beginning = name.slice(0, name.length - extension.length);
  assert.ok(whole.startsWith(beginning), name);
  assert.doesNotThrow(() => encodeURIComponent(beginning));
}

describe('the name under which a download is saved', () => {
  const plain =
    'report.pdf|a b.txt|a "quoted" name.txt|semi;colon=equal, comma.txt|100%.txt|%41.txt|dir/sub/last.txt';
  const names = [
    "it's (1)*!.txt",
    '日本語.txt',
    'naïve café 😀.txt',
    'e\u0301.txt',
    '\u202Egnp.exe',
  ]
    .concat(['C:\\dir\\last.txt', 'dir/', '.', '..', ' ', '-'.repeat(1024), '日'.repeat(1024)])
    .concat([`${'日'.repeat(1020)}.pdf`, `${'😀'.repeat(1020)}.jpeg`, `a.${'b'.repeat(1022)}`])
    .concat([`.${'日'.repeat(1000)}`, `dir/${'é'.repeat(100)}`, `${'é'.repeat(100)}a`])
    .concat(plain.split('|'));

  it('is read back from any name that an upload may have', () =>
    fc.assert(
      fc.asyncProperty(
        fc
          .string({ unit: 'binary', minLength: 1, maxLength: 100 })
          .filter((name) => !/[\p{Cc}\p{Cs}]/u.test(name)),
        holds,
      ),
      { numRuns: 500, examples: names.map((name) => [name]) },
    ));

  it('makes no URL longer than stores take', async () => {
    for (const character of ['日', '😀', '%', '"', 'a'])
      for (const ending of ['', '.pdf']) {
        const { length } = await urlFor(character.repeat(1024 - ending.length) + ending);
        assert.ok(length < 2_500, `${length} characters of ${character}`);
      }
  });

  it('never contains another header', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('\r', '\n', '\0', '\t', '"', '\\', ';', '=', 'a', 'é', '\u007F')),
        async (characters) => {
          const header = await headerFor(characters.join(''));
          assert.match(header, /^[\x20-\x7e]+$/);
          assert.equal(parseDisposition(header).type, 'attachment');
        },
      ),
      { numRuns: 300 },
    ));
});
