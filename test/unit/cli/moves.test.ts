import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Migration, Recommendation, ScanResult } from '../../../sdk/src/index.ts';
import { exampleOf } from '../examples.ts';
import * as terminal from './terminal.ts';
import { type FakeClient, MIGRATION_ID, RECOMMENDATION_ID, SCAN_ID, srs } from './terminal.ts';

const DETAIL = 'GET /v1/scanner/recommendations/{recommendationId}';
const { options } = exampleOf<Recommendation>(DETAIL);
const requests = { sourceRequestsUsd: 0.01, destinationRequestsUsd: 0.02 };
const totals = { egressUsd: 0.9, totalUsd: 0.93, totalWithExitWaiverUsd: 0.03 };
const quote = { ...options[0]?.quote, ...requests, ...totals };
const option = { ...options[0], quote };

/** A client that knows this recommendation, and records approvals. */
function approver(changes: object = {}) {
  const approved: string[] = [];
  const found = exampleOf<Recommendation>(DETAIL, {
    recommendationId: RECOMMENDATION_ID,
    selector: { prefix: '2024/' },
    options: [option],
    blockers: [{ code: 'needs_restore', message: 'archived \u001B[31mobjects', objects: 3 }],
    ...changes,
  });
  const migration = { status: 'cancelled', approvedBy: 'ann', approvedByName: 'Ann' };
  const client: FakeClient = {
    scanner: {
      recommendation: async (id) => {
        if (id !== RECOMMENDATION_ID) throw terminal.refusal('recommendation_not_found', 404);
        return found as never;
      },
      results: async () => exampleOf<ScanResult>('GET /v1/scanner/results/{scanId}'),
    },
    migrations: {
      get: async () => ({ ...migration, target: { provider: 'b2' } }) as never,
      approve: async (recommendationId, { targetProvider }) => {
        approved.push(`${recommendationId} ${targetProvider}`);
        return { migrationId: MIGRATION_ID, recommendationId, targetProvider, quote } as never;
      },
    },
  };
  return { client, approved };
}

const approve = `approve ${RECOMMENDATION_ID} --target b2`;
const APPROVED = [`${RECOMMENDATION_ID} b2`];

describe('srs approve', () => {
  it('shows the quote in five lines, and approves on yes', async () => {
    const { client, approved } = approver();
    const ran = await srs(approve, { client, answers: ['y\r'] });
    assert.deepEqual([ran.exitCode, ran.stdout], [0, `${MIGRATION_ID}\n`]);
    assert.deepEqual(approved, APPROVED);
    assert.deepEqual(ran.stderr.split('\n').slice(0, 5), [
      'Move        acme-media/2024/ (us-east-1): 2,000 objects, 451 GB, from aws to b2 (STANDARD)',
      'Costs once  $0.93: egress $0.90, reads $0.01, writes $0.02',
      'Saves       $14.62 a month (now $25.86, then $3.13)',
      'Paid back   2.6 months (within a month if the egress is waived)',
      'Beware      archived \\u{1b}[31mobjects (3 objects); tags, object locks and ACLs are not copied; the source stays as it is until you delete it',
    ]);
    assert.match(ran.stderr, /Approve\? \[y\/N\]/);
  });

  for (const status of ['superseded', 'expired'] as const)
    it(`says of a move that is ${status} what is open, and sends nothing`, async () => {
      const { client, approved } = approver({ status });
      const ran = await srs(approve, { client, answers: ['y\r'] });
      assert.deepEqual([ran.exitCode, ran.stdout, approved], [1, '', []]);
      assert.match(ran.stderr, new RegExp(`it is ${status}; what is open: srs recommendations`));
    });

  it('says of an approved move how its migration stands, and asks nothing', async () => {
    const { client, approved } = approver({ status: 'approved', migrationId: MIGRATION_ID });
    const ran = await srs(`approve ${RECOMMENDATION_ID}`, { client });
    assert.deepEqual([ran.exitCode, ran.stdout], [0, `${MIGRATION_ID}\n`]);
    assert.match(ran.stderr, /approved before, by Ann; its migration: cancelled\./);
    assert.deepEqual(approved, APPROVED);
  });

  it('says what waiting for the law saves', async () => {
    const waiting = { until: '2027-01-12', savesUsd: 5.877381 };
    const { client } = approver({ options: [{ ...option, waiting }] });
    const told = async (more: object = {}) =>
      (await srs(approve, { client, answers: ['n\r'], ...more })).stderr;
    const before = /^Waiting {5}until 2027-01-12 saves \$5\.88: .*\(EU\) 2023\/2854.*partial move/m;
    assert.match(await told(), before);
    const later = await told({ now: () => Date.parse(waiting.until) });
    assert.match(later, /^Egress {6}is not due since 2027-01-12 .*partial move/m);
    assert.doesNotMatch(later, /^Waiting/m);
  });

  it('approves nothing on any other answer, and ends with 130 on Ctrl-C', async () => {
    for (const answer of ['n\r', '\r', 'yess\r', 'j\r', '\u0004', '\u0003']) {
      const { client, approved } = approver();
      const ran = await srs(approve, { client, answers: [answer] });
      assert.deepEqual([ran.exitCode, approved], [answer === '\u0003' ? 130 : 1, []]);
    }
  });

  it('approves with --yes, for the recommended store where none is named', async () => {
    const { client, approved } = approver();
    const ran = await srs(`approve ${RECOMMENDATION_ID} --yes --json`, { client });
    assert.deepEqual([ran.exitCode, ran.stderr, approved], [0, '', APPROVED]);
    assert.equal(ran.documents()[0]?.['migrationId'], MIGRATION_ID);
  });

  for (const [what, args, exitCode, code] of [
    ['an unknown recommendation', `${SCAN_ID} --target b2`, 1, 'recommendation_not_found'],
    ['a store without a quote', `${RECOMMENDATION_ID} --target r2`, 2, 'wrong_usage'],
    ['an unknown store', `${RECOMMENDATION_ID} --target x`, 2, 'wrong_usage'],
  ] as const)
    it(`refuses ${what}`, async () => {
      const { client, approved } = approver();
      const ran = await srs(`approve ${args} --yes --json`, { client });
      assert.deepEqual([ran.exitCode, ran.failures()[0]?.['code'], approved], [exitCode, code, []]);
    });

  it('prints how to carry out what is not a move, and sends nothing', async () => {
    const commands = ["bash <<'COMMANDS'\naws s3api put\nCOMMANDS", 'second'];
    const howTo = { summary: 'A rule aborts them \u001B[31m.', lifecycleRule: null, commands };
    const kind = 'abort_multipart_uploads';
    const cleanUp = { kind, recommendedProvider: null, options: [], howTo };
    const { client, approved } = approver(cleanUp);
    const ran = await srs(`approve ${RECOMMENDATION_ID}`, { client });
    assert.deepEqual([ran.exitCode, approved, ran.stderr], [0, [], '']);
    const head = `${kind} in acme-media (us-east-1): you carry it out in your own account.`;
    const said = [`${head}\nA rule aborts them \\u{1b}[31m.`, ...commands].join('\n\n');
    assert.equal(ran.stdout, `${said}\n`);
    const asJson = await srs(`approve ${RECOMMENDATION_ID} --json`, { client });
    assert.deepEqual([asJson.exitCode, asJson.documents()], [0, [howTo]]);
    const over = approver({ ...cleanUp, status: 'superseded' }).client;
    const late = await srs(`${approve} --yes`, { client: over });
    assert.equal(late.exitCode, 0);
    assert.match(late.stderr, /--target and --yes are ignored/);
    assert.match(late.stderr, /it is superseded: a newer scan may say otherwise/);
  });
});

describe('srs scan', () => {
  const scanOf = (status: string) =>
    exampleOf<ScanResult>('GET /v1/scanner/results/{scanId}', { scanId: SCAN_ID, status });
  const scanner = (status: 'completed' | 'failed'): FakeClient => ({
    scanner: {
      start: async () => ({ scanId: SCAN_ID }) as never,
      waitFor: async (_scanId, options) => {
        options?.onProgress?.(scanOf('completed'));
        return scanOf(status);
      },
      report: async () => '# Stay\n\nbucket \u001B[2J\n',
    },
  });

  it('starts the scan, watches it on a terminal, shows the report, and ends with 1 where it fails', async () => {
    const client = scanner('completed');
    const ran = await srs(`scan ${terminal.CONNECTION_ID}`, { client, isTerminal: true });
    assert.deepEqual([ran.exitCode, ran.stdout], [0, '# Stay\n\nbucket \\u{1b}[2J\n']);
    assert.match(ran.stderr, /█ 100 % {2}completed: 1 of 1 buckets, 2,000 objects, 451 GB/);
    const quiet = await srs(`scan --scan-id ${SCAN_ID}`, { client });
    assert.deepEqual([quiet.exitCode, quiet.stderr], [0, '']);
    const failing = { client: scanner('failed') };
    const failed = await srs(`scan ${terminal.CONNECTION_ID} --json`, failing);
    assert.deepEqual([failed.exitCode, failed.documents()[0]?.['status']], [1, 'failed']);
  });
});

describe('srs migration', () => {
  const failure = { code: 'needs_restore', reason: 'archived' };
  const migrationOf = (status: string) =>
    exampleOf<Migration>('GET /v1/scanner/migration/{migrationId}', {
      status,
      progress: { objectsTotal: 12, objectsFailed: 12, percent: 0 },
      failures: Array.from({ length: 12 }, (_, at) => Object.assign({ key: `k${at}\n` }, failure)),
      error: status === 'failed' ? { code: 'quote_exceeded', message: 'dearer' } : null,
    });
  const migrating = (status: string): FakeClient => ({
    migrations: {
      waitFor: async (_id, options) => {
        options?.onProgress?.(migrationOf('copying'));
        return migrationOf(status);
      },
      get: async () => migrationOf(status),
      async *report() {
        yield { key: 'a\u009B', outcome: 'copied' } as never;
        yield { migrationId: MIGRATION_ID, status: 'completed' } as never;
      },
    },
  });

  for (const [status, exitCode] of [
    ['completed', 0],
    ['completed_with_failures', 3],
    ['failed', 1],
    ['cancelled', 1],
  ] as const)
    it(`watch ends with ${exitCode} for ${status}`, async () => {
      const command = `migration watch ${MIGRATION_ID} --json`;
      const ran = await srs(command, { client: migrating(status) });
      assert.deepEqual([ran.exitCode, ran.documents()[0]?.['status']], [exitCode, status]);
    });

  it('show prints the state and the first failures', async () => {
    const client = migrating('failed');
    const { stdout, exitCode } = await srs(`migration show ${MIGRATION_ID}`, { client });
    assert.equal(exitCode, 0);
    for (const said of [
      /^failed: aws acme-media\/ to b2 acme-archive\/acme-media\/\n/,
      /\nreason {3}dearer \(quote_exceeded\)\n/,
      /\nfailed {3}k0\\u\{a\}: archived \(needs_restore\)\n/,
      / {9}and 2 more: srs migration report\nnext {5}when the cause is gone: srs round /,
    ])
      assert.match(stdout, said);
  });

  it('report prints one line per object, escaped for a terminal, and replaces no file', async () => {
    const client = migrating('completed');
    const report = `migration report ${MIGRATION_ID}`;
    const ran = await srs(report, { client });
    assert.match(ran.stdout, /"a\\u009b"/);
    assert.deepEqual([ran.documents().length, ran.documents()[0]?.['key']], [2, 'a\u009B']);
    const path = join(await terminal.emptyFolder(), 'report.ndjson');
    await writeFile(path, 'mine');
    assert.equal((await srs(`${report} -o ${path}`, { client })).exitCode, 1);
  });
});
