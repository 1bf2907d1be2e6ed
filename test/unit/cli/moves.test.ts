import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  StorageRoutingError,
  type Migration,
  type Recommendation,
  type ScanResult,
} from '../../../sdk/src/index.ts';
import { emptyFolder, srs, type FakeClient } from './terminal.ts';

const quote = {
  egressUsd: 0.9,
  sourceRequestsUsd: 0.01,
  retrievalUsd: 0,
  earlyDeletionUsd: 0,
  destinationRequestsUsd: 0.02,
  transitionUsd: 0,
  totalUsd: 0.93,
  totalWithExitWaiverUsd: 0.03,
};

const move = {
  recommendationId: '4ec00000-0000-4000-8000-000000000001',
  kind: 'move',
  status: 'open',
  bucket: 'logs',
  region: 'us-east-1',
  selector: { prefix: '2024/' },
  objects: 1_200,
  bytes: 10_000_000_000,
  currentMonthlyCostUsd: 0.23,
  recommendedProvider: 'b2',
  howTo: null,
  options: [
    {
      provider: 'b2',
      storageClass: 'STANDARD',
      configured: true,
      monthlyCostUsd: 0.06,
      monthlySavingsUsd: 0.17,
      quote,
      breakEvenMonths: 5.5,
      breakEvenMonthsWithExitWaiver: 0.2,
      waiting: null,
    },
  ],
  blockers: [{ code: 'needs_restore', message: 'archived \u001B[31mobjects', objects: 3 }],
} as unknown as Recommendation;

const scanOf = (recommendations: readonly Recommendation[], status = 'completed') =>
  ({
    scanId: '5ca70000-0000-4000-8000-000000000001',
    status,
    progress: { percent: 100, bucketsDone: 1, bucketsTotal: 1, objects: 5, bytes: 5 },
    error: status === 'failed' ? { code: 'x', message: 'the role is gone' } : null,
    recommendations,
  }) as unknown as ScanResult;

/** A client that knows this recommendation, and records approvals. */
function approver(found: Recommendation = move) {
  const approved: unknown[] = [];
  const client: FakeClient = {
    scanner: {
      recommendation: (recommendationId) =>
        recommendationId === found.recommendationId
          ? Promise.resolve({
              ...found,
              scanId: '5ca00000-0000-4000-8000-000000000001',
              connectionId: 'c0100000-0000-4000-8000-000000000001',
              horizonMonths: 12,
              assumptions: [],
              readScenarios: [],
            })
          : Promise.reject(
              new StorageRoutingError({
                code: 'recommendation_not_found',
                message: 'no',
                status: 404,
              }),
            ),
    },
    migrations: {
      get: () =>
        Promise.resolve({
          status: 'cancelled',
          approvedBy: 'ann',
          target: { provider: 'b2' },
        } as unknown as Migration),
      approve: (recommendationId, request) => {
        approved.push([recommendationId, request]);
        return Promise.resolve({
          migrationId: '31600000-0000-4000-8000-000000000001',
          recommendationId,
          targetProvider: request.targetProvider,
          status: 'queued',
          quote,
          approvedBy: 'me',
          approvedAt: '2026-11-20T12:00:00.000Z',
        });
      },
    },
  };
  return { client, approved };
}

const approve = ['approve', '4ec00000-0000-4000-8000-000000000001', '--target', 'b2'];

describe('srs approve', () => {
  it('shows the quote in five lines, and approves on yes', async () => {
    const { client, approved } = approver();
    const ran = await srs(approve, { client, answers: ['y\r'] });
    assert.deepEqual([ran.exitCode, ran.stdout], [0, '31600000-0000-4000-8000-000000000001\n']);
    assert.deepEqual(approved, [
      ['4ec00000-0000-4000-8000-000000000001', { targetProvider: 'b2' }],
    ]);
    assert.deepEqual(ran.stderr.split('\n').slice(0, 5), [
      'Move        logs/2024/ (us-east-1): 1,200 objects, 10.0 GB, from aws to b2 (STANDARD)',
      'Costs once  $0.930000: egress $0.900000, reads $0.010000, writes $0.020000',
      'Saves       $0.170000 a month (now $0.230000, then $0.060000)',
      'Won back    after 5.5 months (0.2 if the egress is waived)',
      'Beware      archived \\u{1b}[31mobjects (3 objects); tags, object locks and ACLs are not copied; the source stays as it is until you delete it',
    ]);
    assert.match(ran.stderr, /Approve\? \[y\/N\]/);
  });

  for (const status of ['superseded', 'expired'] as const)
    it(`says of a move that is ${status} what is open, and sends nothing`, async () => {
      const { client, approved } = approver({ ...move, status });
      const ran = await srs(approve, { client, answers: ['y\r'] });
      assert.deepEqual([ran.exitCode, ran.stdout, approved], [1, '', []]);
      assert.match(ran.stderr, new RegExp(`it is ${status}; what is open: srs recommendations`));
    });

  it('says of an approved move how its migration stands, and asks nothing', async () => {
    const { client, approved } = approver({
      ...move,
      status: 'approved',
      migrationId: '31600000-0000-4000-8000-000000000001',
    });
    const [command = '', id = ''] = approve;
    const ran = await srs([command, id], { client });
    assert.deepEqual([ran.exitCode, ran.stdout], [0, '31600000-0000-4000-8000-000000000001\n']);
    assert.match(ran.stderr, /approved before, by ann; its migration: cancelled\./);
    assert.deepEqual(approved, [[move.recommendationId, { targetProvider: 'b2' }]]);
  });

  it('says what waiting for the law saves', async () => {
    const [option] = move.options;
    const waiting = { until: '2027-01-12', savesUsd: 5.877381 };
    const { client } = approver({ ...move, options: [{ ...option, waiting }] } as Recommendation);
    const ran = await srs(approve, { client, answers: ['n\r'] });
    assert.match(
      ran.stderr,
      /^Waiting {5}until 2027-01-12 saves \$5\.877381: .*\(EU\) 2023\/2854.*partial move/m,
    );
    const later = await srs(approve, {
      client,
      answers: ['n\r'],
      now: () => Date.parse(waiting.until),
    });
    assert.match(later.stderr, /^Egress {6}is not due since 2027-01-12 .*partial move/m);
    assert.doesNotMatch(later.stderr, /^Waiting/m);
  });

  for (const answer of ['n\r', '\r', 'yess\r', 'j\r', '\u0004']) {
    it(`treats ${JSON.stringify(answer)} as no`, async () => {
      const { client, approved } = approver();
      const ran = await srs(approve, { client, answers: [answer] });
      assert.deepEqual([ran.exitCode, approved], [1, []]);
    });
  }

  it('approves nothing where there is no terminal to ask on', async () => {
    const { client, approved } = approver();
    const ran = await srs([...approve, '--json'], { client });
    assert.deepEqual([ran.exitCode, approved], [2, []]);
    assert.equal(ran.failures()[0]?.['code'], 'not_confirmed');
  });

  it('approves with --yes, for the recommended store where none is named', async () => {
    const { client, approved } = approver();
    const ran = await srs(['approve', '4ec00000-0000-4000-8000-000000000001', '--yes', '--json'], {
      client,
    });
    assert.deepEqual([ran.exitCode, ran.stderr], [0, '']);
    assert.deepEqual(approved, [
      ['4ec00000-0000-4000-8000-000000000001', { targetProvider: 'b2' }],
    ]);
    assert.equal(ran.documents()[0]?.['migrationId'], '31600000-0000-4000-8000-000000000001');
  });

  for (const [what, args, exitCode, code] of [
    [
      'an unknown recommendation',
      ['4ec00000-0000-4000-8000-000000000009', '--target', 'b2'],
      1,
      'recommendation_not_found',
    ],
    [
      'a store without a quote',
      ['4ec00000-0000-4000-8000-000000000001', '--target', 'r2'],
      2,
      'wrong_usage',
    ],
    [
      'an unknown store',
      ['4ec00000-0000-4000-8000-000000000001', '--target', 'x'],
      2,
      'wrong_usage',
    ],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { client, approved } = approver();
      const ran = await srs(['approve', ...args, '--yes', '--json'], { client });
      assert.deepEqual([ran.exitCode, approved], [exitCode, []]);
      assert.equal(ran.failures()[0]?.['code'], code);
    });
  }

  const howTo = {
    summary: 'A rule aborts them \u001B[31m.',
    lifecycleRule: null,
    commands: ["bash <<'COMMANDS'\naws s3api put\nCOMMANDS", 'second'],
  };
  const cleanUp = {
    ...move,
    kind: 'abort_multipart_uploads',
    recommendedProvider: null,
    options: [],
    howTo,
  } as Recommendation;

  it('prints how to carry out what is not a move, and sends nothing', async () => {
    const { client, approved } = approver(cleanUp);
    const ran = await srs(['approve', '4ec00000-0000-4000-8000-000000000001'], { client });
    assert.deepEqual([ran.exitCode, approved, ran.stderr], [0, [], '']);
    assert.equal(
      ran.stdout,
      [
        'abort_multipart_uploads in logs (us-east-1): you carry it out in your own account.',
        'A rule aborts them \\u{1b}[31m.',
        '',
        "bash <<'COMMANDS'",
        'aws s3api put',
        'COMMANDS',
        '',
        'second',
        '',
      ].join('\n'),
    );
    const asJson = await srs(['approve', '4ec00000-0000-4000-8000-000000000001', '--json'], {
      client,
    });
    assert.deepEqual([asJson.exitCode, asJson.documents()], [0, [howTo]]);
    const over = approver({ ...cleanUp, status: 'superseded' }).client;
    const late = await srs([...approve, '--yes'], { client: over });
    assert.equal(late.exitCode, 0);
    assert.match(late.stderr, /--target and --yes are ignored/);
    assert.match(late.stderr, /it is superseded: a newer scan may say otherwise/);
  });

  it('ends with 130 on Ctrl-C at the question', async () => {
    const { client, approved } = approver();
    const ran = await srs(approve, { client, answers: ['\u0003'] });
    assert.deepEqual([ran.exitCode, approved], [130, []]);
  });
});

describe('srs scan', () => {
  const scanner = (status: 'completed' | 'failed'): FakeClient => ({
    scanner: {
      start: (connectionId) =>
        Promise.resolve({
          scanId: '5ca70000-0000-4000-8000-000000000001',
          connectionId,
          status: 'queued',
          startedAt: 'now',
        }),
      waitFor: (_scanId, options) => {
        options?.onProgress?.(scanOf([]));
        return Promise.resolve(scanOf([], status));
      },
      report: () => Promise.resolve('# Stay\n\nbucket \u001B[2J\n'),
    },
  });

  it('starts the scan, watches it, and shows the report', async () => {
    const ran = await srs(['scan', 'c0770000-0000-4000-8000-000000000001'], {
      client: scanner('completed'),
      isTerminal: true,
    });
    assert.deepEqual([ran.exitCode, ran.stdout], [0, '# Stay\n\nbucket \\u{1b}[2J\n']);
    assert.match(ran.stderr, /█ 100 % {2}completed: 1 of 1 buckets, 5 objects, 5 B/);
  });

  it('draws no bar without a terminal', async () => {
    const ran = await srs(['scan', '--scan-id', '5ca70000-0000-4000-8000-000000000001'], {
      client: scanner('completed'),
    });
    assert.deepEqual([ran.exitCode, ran.stderr], [0, '']);
  });

  it('ends with 1 where the scan fails', async () => {
    const ran = await srs(['scan', 'c0770000-0000-4000-8000-000000000001', '--json'], {
      client: scanner('failed'),
    });
    assert.equal(ran.exitCode, 1);
    assert.equal(ran.documents()[0]?.['status'], 'failed');
  });

  it('only starts with --no-wait', async () => {
    const ran = await srs(['scan', 'c0770000-0000-4000-8000-000000000001', '--no-wait'], {
      client: scanner('completed'),
    });
    assert.deepEqual([ran.exitCode, ran.stdout], [0, '5ca70000-0000-4000-8000-000000000001\n']);
  });

  for (const args of [
    ['scan'],
    [
      'scan',
      'c0770000-0000-4000-8000-000000000001',
      '--scan-id',
      '5ca70000-0000-4000-8000-000000000001',
    ],
  ]) {
    it(`refuses: srs ${args.join(' ')}`, async () => {
      assert.equal((await srs(args, { client: scanner('completed') })).exitCode, 2);
    });
  }
});

const migrationOf = (status: string) =>
  ({
    migrationId: '31600000-0000-4000-8000-000000000001',
    status,
    source: { bucket: 'logs', region: 'us-east-1', selector: { prefix: null } },
    target: { provider: 'b2', bucketName: 'mine', keyPrefix: 'logs/' },
    quote,
    approvedBy: 'me',
    approvedAt: 'then',
    progress: {
      objectsTotal: 12,
      objectsCopied: 0,
      objectsSkipped: 0,
      objectsFailed: 12,
      bytesTotal: 5_000,
      bytesCopied: 0,
      percent: 0,
      bytesPerSecond: 2_000,
      etaSeconds: 3,
    },
    failures: Array.from({ length: 12 }, (_, index) => ({
      key: `k${index}\n`,
      code: 'needs_restore',
      reason: 'archived',
      attempts: 1,
    })),
    notCarried: [{ what: 'tags', objects: 2 }],
    error: status === 'failed' ? { code: 'quote_exceeded', message: 'dearer' } : null,
  }) as unknown as Migration;

const migrating = (status: string): FakeClient => ({
  migrations: {
    waitFor: (_id, options) => {
      options?.onProgress?.(migrationOf('copying'));
      return Promise.resolve(migrationOf(status));
    },
    get: () => Promise.resolve(migrationOf(status)),
    cancel: () => Promise.resolve(migrationOf('cancelled')),
    async *report() {
      yield { key: 'a\u009B', outcome: 'copied' } as never;
      yield { migrationId: '31600000-0000-4000-8000-000000000001', status: 'completed' } as never;
    },
  },
});

describe('srs migration', () => {
  for (const [status, exitCode] of [
    ['completed', 0],
    ['completed_with_failures', 3],
    ['failed', 1],
    ['cancelled', 1],
  ] as const) {
    it(`watch ends with ${exitCode} for ${status}`, async () => {
      const args = ['migration', 'watch', '31600000-0000-4000-8000-000000000001', '--json'];
      const ran = await srs(args, { client: migrating(status) });
      assert.equal(ran.exitCode, exitCode);
      assert.equal(ran.documents()[0]?.['status'], status);
    });
  }

  it('show prints the state and the first failures', async () => {
    const { stdout, exitCode } = await srs(
      ['migration', 'show', '31600000-0000-4000-8000-000000000001'],
      {
        client: migrating('failed'),
      },
    );
    assert.equal(exitCode, 0);
    assert.match(stdout, /^failed: logs\/ to b2 mine\/logs\/\n/);
    assert.match(stdout, /\nreason {3}dearer \(quote_exceeded\)\n/);
    assert.match(stdout, /\nfailed {3}k0\\u\{a\}: archived \(needs_restore\)\n/);
    assert.match(stdout, / {9}and 2 more: srs migration report\n$/);
  });

  it('cancel prints the result', async () => {
    const ran = await srs(['migration', 'cancel', '31600000-0000-4000-8000-000000000001'], {
      client: migrating('copying'),
    });
    assert.match(ran.stdout, /^cancelled: /);
  });

  it('report prints one line per object, escaped for a terminal', async () => {
    const ran = await srs(['migration', 'report', '31600000-0000-4000-8000-000000000001'], {
      client: migrating('completed'),
    });
    assert.equal(ran.documents().length, 2);
    assert.match(ran.stdout, /"a\\u009b"/);
    assert.equal(ran.documents()[0]?.['key'], 'a\u009B');
  });

  it('report writes to a new file', async () => {
    const path = join(await emptyFolder(), 'report.ndjson');
    const args = [
      'migration',
      'report',
      '31600000-0000-4000-8000-000000000001',
      '-o',
      path,
      '--json',
    ];
    const client = migrating('completed');
    const ran = await srs(args, { client });
    assert.equal(ran.documents()[0]?.['lines'], 2);
    const text = await readFile(path, 'utf8');
    assert.equal(text.trimEnd().split('\n').length, 2);
    await writeFile(path, 'mine');
    assert.equal((await srs(args, { client })).exitCode, 1);
  });
});
