import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { readWorkerConfig } from '../../config/worker.ts';
import { readStores } from '../../config/stores.ts';
import { createCatalogue } from '../../domain/providers/catalogue.ts';
import { OWN } from '../harness/own-store.ts';
import { stores } from './price-book.ts';

const { sheet } = OWN;
const problemsOf = (...entries: readonly unknown[]) => readStores(entries, stores).problems;

describe('an operator’s own stores', () => {
  it('follow the delivered ones, which fit the same schema', () => {
    assert.deepEqual(readStores(stores, []).problems, []);
    const { stores: own, problems } = readStores([OWN], stores);
    assert.deepEqual([own.length, problems], [1, []]);
    assert.equal(createCatalogue([...stores, ...own]).providers.at(-1), 'own-minio');
  });

  for (const [field, wrong, said] of [
    ['provider', { provider: 'Own' }, '/provider must match'],
    ['provider', { provider: 'a' }, '/provider must match'],
    ['provider', { provider: 'aws' }, '/provider is taken'],
    ['provider', { provider: undefined }, '/provider is required'],
    ['title', { title: '' }, '/title must NOT have fewer'],
    ['kind', { kind: 'cold' }, '/kind must be one of hyperscaler, edge, archive, general'],
    ['host', { host: 'https://minio.example.com' }, '/host must be a host name'],
    ['host', { host: 'minio.example.com/x' }, '/host must be a host name'],
    ['host', { host: 'user@minio.example.com' }, '/host must be a host name'],
    ['host', { host: 'minio.example.com:99999' }, '/host must be a host name'],
    ['host', { host: '{region}' }, '/host must have no placeholder in its last two labels'],
    ['host', { host: 's3.{region}.com' }, '/host must have no placeholder in its last two labels'],
    ['host', { host: '{accountId}.example' }, '/host must have no placeholder in its last two'],
    ['host', { host: '{bucket}.s3.example.com' }, '/host must be a host name'],
    ['regionPattern', { regionPattern: '(' }, '/regionPattern must be a regular expression'],
    ['accountIdPattern', { accountIdPattern: '[' }, '/accountIdPattern must be a regular'],
    [
      'accountIdPattern',
      { host: '{accountId}.s3.example.com' },
      '/accountIdPattern is required, because /host has {accountId}',
    ],
    [
      'jurisdictionHost',
      { jurisdictionHost: '{accountId}.{jurisdiction}.s3.example.com', jurisdictions: ['eu'] },
      '/host must have {accountId}',
    ],
    ['pathStyle', { pathStyle: 'yes' }, '/pathStyle must be boolean'],
    ['limits', { limits: { ...OWN.limits, parts: 0 } }, '/limits/parts must be >= 1'],
    ['limits', { limits: { ...OWN.limits, parts: 10_001 } }, '/limits/parts must be <= 10000'],
    ['limits', { limits: { ...OWN.limits, objectBytes: 1 } }, '/limits/singlePutBytes must be at'],
    ['sheet', { sheet: undefined }, '/sheet is required'],
    ['sheet', { sheet: { ...sheet, bytesPerGb: 1 } }, '/sheet/bytesPerGb must be >='],
    [
      'sheet',
      { sheet: { ...sheet, storagePerGbMonth: -1 } },
      '/sheet/storagePerGbMonth must be >=',
    ],
    ['sheet', { sheet: { ...sheet, putPerRequest: '0' } }, '/sheet/putPerRequest must be number'],
    ['sheet', { sheet: { ...sheet, egress: {} } }, '/sheet/egress must be free'],
    ['sheet', { sheet: { ...sheet, egress: { free: false } } }, '/sheet/egress/free must be'],
    ['sheet', { sheet: { ...sheet, egress: { freeMultiple: 1 } } }, '/sheet/egress must be free'],
    ['sheet', { sheet: { ...sheet, minDays: 0.5 } }, '/sheet/minDays must be integer'],
    ['sheet', { sheet: { ...sheet, classes: { cold: {} } } }, '/sheet/classes'],
    ['links', { links: { documentation: 'http://x' } }, '/links/documentation must match'],
    ['confidence', { confidence: 'sure' }, '/confidence must be one of high, medium, low'],
    ['another field', { hots: 1 }, '/hots is not a known field'],
  ] as const)
    it(`are refused for a wrong ${field}: ${said}`, () => {
      const found = problemsOf({ ...OWN, ...wrong });
      assert.ok(
        found.some((problem) => problem.includes(said)),
        found.join('\n'),
      );
    });

  it('are refused with every problem of every entry, and with an id that two of them have', () => {
    const found = problemsOf(OWN, { ...OWN, title: 1, pathStyle: 2 }, OWN);
    assert.equal(found.length, 3, found.join('\n'));
    assert.match(problemsOf(OWN, OWN).join(), /store 2 \(own-minio\): \/provider is taken/);
    assert.match(readStores({}, stores).problems.join(), /JSON array/);
  });

  it('stop a process at its start, with the problems and the variable', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'stores-')), 'stores.json');
    const start = (content: string) => async () => {
      await writeFile(file, content);
      readWorkerConfig({ STORES_FILE: file, MONGODB_URI: 'mongodb://a', CREDENTIAL_KEYS: KEY });
    };
    await assert.rejects(start('['), /STORES_FILE must be the path of a usable file/);
    await assert.rejects(start(JSON.stringify([{ ...OWN, host: '' }])), /STORES_FILE store 1/);
    const anyAccount = [{ ...OWN, host: '{accountId}.s3.example.com' }];
    await assert.rejects(
      start(JSON.stringify(anyAccount)),
      /STORES_FILE store 1.*accountIdPattern is required/,
    );
    const oneForm = [{ ...anyAccount[0], accountIdPattern: '^[0-9]{12}$' }];
    await start(JSON.stringify(oneForm))();
    await start(JSON.stringify([OWN]))();
  });

  it('never let a caller’s text choose a host', () => {
    const templates = ['s3.{region}.example.com', '{accountId}-x.{region}.s3.example.com:9000'];
    const text = fc.string({
      unit: fc.constantFrom(...'a b 0 - . _ / @ : # ? % \\ A'.split(' '), ' '),
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.constantFrom(...templates), text, text, (host, region, accountId) => {
        const store = { ...OWN, host, regionPattern: '.*', accountIdPattern: '.*' };
        const entry = createCatalogue([store]).entry(OWN.provider);
        if (!entry.takesRegion(region) || !entry.takesAccountId(accountId)) return;
        const { hostname, protocol } = new URL(entry.endpoint({ region, accountId }));
        assert.ok(hostname.endsWith('.example.com') && protocol === 'https:', hostname);
      }),
      { numRuns: 2_000 },
    );
  });
});

const KEY = `k1:${Buffer.alloc(32).toString('base64')}`;
