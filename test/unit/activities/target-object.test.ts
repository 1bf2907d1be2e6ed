import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { OpenedObject } from '../../../adapters/object-store/object-store.ts';
import {
  readTargetObject,
  type NotedObject,
  type Present,
} from '../../../activities/migrations/target-object.ts';
import type { CopiedLine } from '../../../domain/migrations/key-history.ts';
import type { ManifestEntry } from '../../../domain/migrations/object-ledger.ts';
import { catalogue } from '../../harness/catalogue.ts';
import { unlimited } from '../../harness/object-copy.ts';
import { unreported } from '../../harness/progress.ts';
import { describeObject, UNUSED_STORE } from '../../harness/unused-store.ts';

const OWN = 'mig-own';
const BODY = Buffer.from('true bytes');
const FAKE = Buffer.from('fake bytes');

const md5 = (body: Buffer) => createHash('md5').update(body).digest('hex');
const sha256 = (body: Buffer) => createHash('sha256').update(body).digest('hex');

interface Held {
  readonly body: Buffer;
  readonly etag?: string;
  /** Under a key of KMS. */
  readonly isOpaque?: boolean;
  readonly migrationId?: string;
}

/** A store with one object under any key, or none; the keys that were read. */
function storeWith(held: Held | undefined, read: string[], side: string) {
  const described = () => {
    if (!held) return undefined;
    const { body, isOpaque = false, etag = md5(body), migrationId } = held;
    const isMd5 = !isOpaque && !etag.includes('-');
    const headers = migrationId === undefined ? {} : { 'x-amz-meta-migration-id': migrationId };
    const more = { etag, isOpaque, md5: isMd5 ? etag : null, headers };
    return { ...describeObject(body.length), ...more };
  };
  return {
    ...UNUSED_STORE,
    head: () => Promise.resolve(described()),
    async open(): Promise<OpenedObject> {
      read.push(side);
      const found = described() ?? assert.fail();
      const body = (async function* () {
        yield held?.body ?? assert.fail();
      })();
      return { ...found, bodyBytes: found.sizeBytes, body, close: () => undefined };
    },
  };
}

function lineOf(line: Partial<CopiedLine>): CopiedLine {
  const whole = { key: 'k', targetKey: 'p/k', bytes: BODY.length, sourceEtag: md5(BODY) };
  const more = { sha256: null, outcome: 'copied' as const, attempts: 1, notCarried: [] };
  return { ...whole, ...more, targetEtag: 'T', at: '2026-11-01T12:00:00.000Z', ...line };
}

interface Case {
  readonly source?: Held;
  readonly target?: Held;
  readonly line?: CopiedLine;
  readonly written?: CopiedLine;
  readonly isNamed?: boolean;
  readonly present?: Present;
}

const SAME: Held = { body: BODY };
const OTHER: Held = { body: FAKE };
const KMS: Held = { body: BODY, etag: 'a'.repeat(32), isOpaque: true };
const PARTS: Held = { body: BODY, etag: `${'b'.repeat(32)}-2` };
const T = { ...OTHER, etag: 'T' };

const CASES: [what: string, expected: string, sha: string | null, read: string[], Case][] = [
  ['nothing', 'nothing', null, [], {}],
  ['what its listing shows as missing', 'nothing', null, [], { target: SAME, present: null }],
  ['what this round’s line says', 'as_noted', null, [], { target: T, line: lineOf({}) }],
  ['our copy of it', 'equal', null, [], { target: T, written: lineOf({}) }],
  [
    'our copy of what it was',
    'ours',
    null,
    [],
    { target: T, written: lineOf({ sourceEtag: 'old' }) },
  ],
  ['another object than our copy', 'occupied', null, [], { target: OTHER, written: lineOf({}) }],
  ['an equal object', 'equal', null, [], { target: SAME }],
  ['an equal object with our id', 'equal', null, [], { target: { ...SAME, migrationId: OWN } }],
  [
    'an equal object by its listing',
    'equal',
    null,
    [],
    { target: OTHER, present: { etag: md5(BODY), sizeBytes: BODY.length } },
  ],
  [
    'a write whose answer was lost',
    'verified',
    sha256(BODY),
    ['target'],
    { target: { ...SAME, migrationId: OWN }, isNamed: true },
  ],
  [
    'an equal object without our id at a named place',
    'equal',
    null,
    [],
    { target: SAME, isNamed: true },
  ],
  [
    'other bytes with our id at a named place',
    'occupied',
    null,
    [],
    { target: { ...OTHER, migrationId: OWN }, isNamed: true },
  ],
  [
    'the same bytes under KMS',
    'equal',
    sha256(BODY),
    ['target', 'source'],
    { source: KMS, target: SAME },
  ],
  [
    'other bytes under KMS',
    'occupied',
    null,
    ['target', 'source'],
    { source: KMS, target: { ...OTHER, migrationId: OWN } },
  ],
  [
    'a lost write under KMS',
    'verified',
    sha256(BODY),
    ['target', 'source'],
    { source: KMS, target: { ...SAME, migrationId: OWN }, isNamed: true },
  ],
  ['a target under KMS', 'equal', sha256(BODY), ['target'], { target: KMS }],
  ['the same ETag of parts', 'equal', null, [], { source: PARTS, target: PARTS }],
  [
    'other ETags of as many parts',
    'occupied',
    null,
    [],
    { source: PARTS, target: { ...PARTS, etag: `${'c'.repeat(32)}-2` } },
  ],
  [
    'other numbers of parts',
    'equal',
    sha256(BODY),
    ['target', 'source'],
    { source: PARTS, target: { ...PARTS, etag: `${'c'.repeat(32)}-3` } },
  ],
  ['another size', 'occupied', null, [], { target: { body: Buffer.from('longer than those') } }],
];

const UNUSED_UPLOADS = {
  note: () => assert.fail(),
  notePart: () => assert.fail(),
  ofKey: () => assert.fail(),
  remove: () => assert.fail(),
};

describe('what a migration finds at the target', () => {
  for (const [what, expected, sha, read, given] of CASES)
    it(`of ${what} is ${expected}`, async () => {
      const { source = SAME, target, line, written = null, isNamed = false, present } = given;
      const etag = source.etag ?? md5(source.body);
      const lastModified = '2026-11-01T00:00:00.000Z';
      const entry: ManifestEntry = {
        key: 'k',
        sizeBytes: source.body.length,
        etag,
        lastModified,
        storageClass: 'STANDARD',
      };
      const opened: string[] = [];
      const deps = {
        source: storeWith(source, opened, 'source'),
        target: storeWith(target, opened, 'target'),
        limits: unlimited({ bufferedBytes: 1_000 }),
        progress: unreported,
        migrationId: OWN,
        capabilities: {},
        maxParts: 10,
        metadata: catalogue.entry('b2').metadata,
        signal: new AbortController().signal,
        uploads: UNUSED_UPLOADS,
        sourceReads: {
          begin: () => Promise.resolve({ add: () => undefined, close: () => undefined }),
        },
        keyPrefix: 'p/',
      };
      const noted: NotedObject = {
        line: line ?? null,
        written: () => Promise.resolve(written),
        isNamed: () => isNamed,
      };
      const found = await readTargetObject(deps, entry, noted, present).catch(
        ({ code }: { code: string }) => ({ kind: code.replace('target_', '') }) as const,
      );
      const hash =
        'copied' in found ? found.copied.sha256 : 'sha256' in found ? found.sha256 : null;
      assert.deepEqual([found.kind, hash, opened], [expected, sha, read]);
    });
});
