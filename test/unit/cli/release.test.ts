import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import {
  releaseHeader,
  verifyReleaseFile,
  type InclusionProof,
} from '../../../cli/src/io/release-file.ts';
import { compareKeys } from '../../../domain/inventory/key-order.ts';
import { growTree, rootOf, type ReleasedObject } from '../../../domain/migrations/release.ts';
import type { Migration, Release } from '../../../sdk/src/index.ts';
import { exampleOf } from '../examples.ts';
import { type FakeClient, MIGRATION_ID, srs } from './terminal.ts';

const hex = fc.stringMatching(/^[0-9a-f]{64}$/);
const objects = fc
  .uniqueArray(
    fc.record({
      key: fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
      etag: fc.stringMatching(/^[0-9a-f]{4,40}$/),
      bytes: fc.nat(5_000_000_000),
      sha256: fc.option(hex),
    }),
    { selector: ({ key }) => Buffer.from(key).toString('hex'), maxLength: 40 },
  )
  .map((some) => some.toSorted((a, b) => compareKeys(a.key, b.key)));

/** The file of a release, whose root the service has computed page by page. */
function fileOf(some: readonly ReleasedObject[], pageSize = 7): string[] {
  let tree: ReturnType<typeof growTree> = [];
  for (let at = 0; at < some.length; at += pageSize)
    tree = growTree(tree, some.slice(at, at + pageSize));
  const bytes = some.reduce((sum, each) => sum + each.bytes, 0);
  const checked = { checkedAt: '2026-11-25T12:00:00.000Z', objects: some.length, bytes };
  const header = releaseHeader('m', { ...checked, rootHash: rootOf(tree) });
  return [header, ...some].map((line) => JSON.stringify(line));
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const sha256 = (...parts: (Buffer | string)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');

/** The root that a proof leads to, by RFC 9162, section 2.1.3.2. */
function rootOfProof({
  key,
  etag,
  sha256: hash,
  bytes,
  index,
  objects: count,
  path,
}: InclusionProof) {
  let root = sha256('\0', JSON.stringify([key, etag, hash, bytes]));
  let [at, last] = [index, count - 1];
  for (const neighbour of path) {
    const isRight = at % 2 === 1 || at === last;
    const pair = isRight ? neighbour + root : root + neighbour;
    root = sha256('\x01', Buffer.from(pair, 'hex'));
    if (isRight) while (at % 2 === 0 && at !== 0) [at, last] = [at >> 1, last >> 1];
    [at, last] = [at >> 1, last >> 1];
  }
  return root;
}

describe('the file of a release', () => {
  it('has the root that the service computed, and proves each of its objects', async () => {
    await fc.assert(
      fc.asyncProperty(objects, fc.nat(), async (some, chosen) => {
        const lines = fileOf(some);
        const wanted = some[chosen % Math.max(1, some.length)];
        const found = await verifyReleaseFile(each(lines), wanted?.key);
        assert.ok('header' in found, JSON.stringify(found));
        if (found.proof) assert.equal(rootOfProof(found.proof), found.header.rootHash);
        else assert.equal(some.length, 0);
      }),
    );
  });

  it('is refused if one character of it is another one, or a line is missing, doubled or moved', async () => {
    const change = fc.record({
      line: fc.nat(),
      at: fc.nat(),
      to: fc.constantFrom('0', ' ', 'x', '"'),
    });
    await fc.assert(
      fc.asyncProperty(
        objects.filter(({ length }) => length > 1),
        change,
        async (some, { line, at, to }) => {
          const lines = fileOf(some);
          const row = line % lines.length;
          const text = lines[row] ?? '';
          const place = at % text.length;
          if (text[place] === to) return;
          const changed = text.slice(0, place) + to + text.slice(place + 1);
          const others = [
            lines.with(row, changed),
            lines.toSpliced(row, 1),
            lines.toSpliced(row, 0, text),
            [...lines.slice(0, -2), ...lines.slice(-2).toReversed()],
            [...lines, ''],
          ];
          for (const other of others)
            assert.ok('problem' in (await verifyReleaseFile(each(other))), other.join('\n'));
        },
      ),
    );
  });

  it('is verified by srs without a service; another root, and a key that is not in it, are refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'release-'));
    const path = join(folder, 'release.ndjson');
    // Some readers of lines take these for their ends: JSON escapes only those below U+0020.
    const keys = ['a\r\n', 'b', 'c\u0085', 'd\u2028\u2029'];
    const some = keys.map((key) => ({ key, etag: 'e', bytes: 1, sha256: null }));
    const text = `${fileOf(some).join('\n')}\n`;
    await writeFile(path, text);
    const verified = await srs(`verify-release ${path} --key b --json`);
    assert.equal(verified.exitCode, 0, verified.stderr);
    const { ok, proof } = JSON.parse(verified.stdout) as { ok: boolean; proof: InclusionProof };
    assert.deepEqual([ok, proof.index, proof.path.length], [true, 1, 2]);
    const shown = await srs(['verify-release', path, '--key', 'c\u0085']);
    assert.match(shown.stdout, /"key":"c\\u0085"/);
    assert.equal((await srs(`verify-release ${path} --key c`)).exitCode, 1);
    assert.equal((await srs(`verify-release ${path} --root ${'0'.repeat(64)}`)).exitCode, 1);
    for (const other of [text.replaceAll('\n', '\r\n'), text.slice(0, -4)]) {
      await writeFile(path, other);
      assert.equal((await srs(`verify-release ${path}`)).exitCode, 1);
    }
    await rm(folder, { recursive: true });
  });
});

describe('srs round and srs release', () => {
  const asked: unknown[] = [];
  const migrating = (status: Release['status']): FakeClient => {
    const release = exampleOf<Release>('GET /v1/scanner/migration/{migrationId}/release', {
      status,
      differences: { total: 12, items: [{ key: 'a\n', code: 'changed' }] },
    });
    const ended = exampleOf<Migration>('GET /v1/scanner/migration/{migrationId}', {
      status: 'completed_with_failures',
    });
    return {
      migrations: {
        startRound: async (_id, request) => {
          asked.push(request);
          return ended;
        },
        waitFor: async () => ended,
        beginRelease: async () => ({ release: { ...release, status: 'checking' } }),
        release: async () => release,
        waitForRelease: async () => release,
        async *releasedObjects() {
          yield { key: 'a', etag: 'e', bytes: release.bytes, sha256: null };
        },
      },
    };
  };

  it('asks for a round with its limits, and exits by its outcome', async () => {
    const client = migrating('ready');
    const round = `round ${MIGRATION_ID} --max-total-usd`;
    assert.equal((await srs(`${round} 0.5 --remove-at-most 3`, { client })).exitCode, 0);
    assert.equal((await srs(`${round} 2 --wait`, { client })).exitCode, 3);
    assert.deepEqual(asked, [{ maxTotalUsd: 0.5, removeAtMost: 3 }, { maxTotalUsd: 2 }]);
    for (const wrong of ['', ' -1', ' 1e3', ' 0.1234567', ' 1 --remove-at-most x'])
      assert.equal((await srs(`${round}${wrong}`, { client })).exitCode, 2, wrong);
    assert.equal(asked.length, 2);
  });

  for (const [status, exitCode, said] of [
    ['ready', 0, /^ready: .*\n.*\nroot .*[^]*aws s3api delete-objects/],
    ['not_ready', 3, /^not ready: .* 12 differ\nchanged +a\\u\{a\}\nnext +srs round /],
    ['failed', 1, /^failed: /],
  ] as const)
    it(`says of a release that is ${status} what comes next, and exits with ${exitCode}`, async () => {
      const ran = await srs(`release ${MIGRATION_ID} --wait`, { client: migrating(status) });
      assert.equal(ran.exitCode, exitCode, ran.stderr);
      assert.match(ran.stdout, said);
    });

  it('does not wait unless it is asked to, and shows the latest check without a new one', async () => {
    const client = migrating('ready');
    const begun = await srs(`release ${MIGRATION_ID}`, { client });
    assert.match(begun.stdout, /^checking: /);
    assert.match((await srs(`release ${MIGRATION_ID} --show`, { client })).stdout, /^ready: /);
  });
});
