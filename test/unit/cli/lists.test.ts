import assert from 'node:assert/strict';
import type * as sdk from '../../../sdk/src/index.ts';
import { itemOf } from '../examples.ts';
import { CONNECTION_ID, type FakeClient, srs } from './terminal.ts';

const scan = itemOf<sdk.ScanLine>('GET /v1/scanner/history');
const noFigures = { currentMonthlyCostUsd: null, monthlySavingsUsd: null, verdict: null };
const running = { ...scan, status: 'running', completedAt: null, confidence: null, ...noFigures };
const file = itemOf<sdk.RoutedFile>('GET /v1/analytics/routing-history', {
  fileName: 'film\u001B[2J.mp4',
  savedVsAwsUsd: -0.5,
});
const move = itemOf<sdk.ListedRecommendation>('GET /v1/scanner/recommendations', {
  selector: { prefix: '2024/\u001B[2J' },
});
const selector = { ...move.selector, prefix: null };
const kind = 'abort_multipart_uploads';
const cleanUp = { ...move, kind, selector, recommendedProvider: null, options: [] };
const migration = itemOf<sdk.ListedMigration>('GET /v1/scanner/migrations', {
  status: 'copying',
  percent: 40,
  completedAt: null,
  realised: null,
});

/** A client whose lists all hold these items, and the queries that it was asked. */
function lister(items: readonly unknown[], total = items.length) {
  const asked: object[] = [];
  const answer = ({ signal: _signal, ...query }: sdk.PageOptions = {}) => {
    asked.push(query);
    const { limit = 10, offset = 0 } = query;
    return Promise.resolve({ items, total, limit, offset } as never);
  };
  const client: FakeClient = {
    scanner: { history: () => Promise.resolve({ items } as never), recommendations: answer },
    analytics: { routingHistory: answer },
    migrations: { list: answer },
  };
  return { client, asked };
}

const SCANS = [
  /^SCAN +STATUS +STARTED +OBJECTS +SIZE +A MONTH +SAVES +VERDICT$/,
  / completed +2026-11-20T12:00:00\.000Z +2,000 +451 GB +\$25\.86 +\$14\.62 +migrate$/,
  / running +\S+ +2,000 +451 GB +- +- +-$/,
];

describe('a list', () => {
  // What is said where there is nothing, and the lines of the table otherwise.
  for (const [command, items, none, ...lines] of [
    ['history', [scan, running], /srs scan/, ...SCANS],
    ['history scans', [scan, running], /srs scan/, ...SCANS],
    [
      'history uploads',
      [file],
      /srs put/,
      /^\S/,
      /^5f1d\S+ +active +r2 +48\.2 KB +-\$0\.50 +2026-11-20T12:00:00\.000Z +film\\u\{1b\}\[2J\.mp4$/,
    ],
    [
      'recommendations',
      [move, cleanUp],
      /^no recommendation/,
      /^RECOMMENDATION +STATUS +WHAT +SIZE +SAVES A MONTH +COSTS ONCE +WAITING SAVES$/,
      /^3b9d\S+ +open +Move to b2: acme-media\/2024\/\\u\{1b\}\[2J +451 GB +\$14\.62 +\$37\.79 +-$/,
      /^3b9d\S+ +open +Abort unfinished uploads: acme-media\/ .* -$/,
    ],
    [
      'migrations',
      [migration, { ...migration, status: 'queued', percent: null }],
      /./,
      /^MIGRATION +STATUS +DONE +WHAT +SIZE +COST ONCE +SAVES A MONTH +APPROVED$/,
      /^c2f4\S+ +copying +40 % +acme-media\/ to b2 +451 GB +\$37\.79 +\$14\.62 +2026-11-20T14:30:00\.000Z$/,
      /^c2f4\S+ +queued +- /,
    ],
  ] satisfies [string, unknown[], RegExp, ...RegExp[]][])
    it(`is a table, escaped for a terminal, and the whole answer with --json: srs ${command}`, async () => {
      const { client } = lister(items);
      const { stdout, exitCode } = await srs(command, { client });
      assert.equal(exitCode, 0);
      const shown = stdout.trimEnd().split('\n');
      assert.equal(shown.length, lines.length);
      for (const [index, line] of lines.entries()) assert.match(shown[index] ?? '', line);
      const [document] = (await srs(`${command} --json`, { client })).documents();
      const page = lines[0] === SCANS[0] ? {} : { total: items.length, limit: 10, offset: 0 };
      assert.deepEqual(document, { items, ...page });
      assert.match((await srs(command, { client: lister([]).client })).stdout, none);
    });

  it('asks for what the options say', async () => {
    const { client, asked } = lister([]);
    for (const command of [
      'recommendations',
      `recommendations --status open --connection-id ${CONNECTION_ID} --limit 5 --offset 10`,
      'migrations --status copying',
      'history uploads --limit 1 --offset 7',
    ])
      assert.equal((await srs(command, { client })).exitCode, 0);
    assert.deepEqual(asked, [
      { status: undefined, connectionId: undefined, limit: 10, offset: 0 },
      { status: 'open', connectionId: CONNECTION_ID, limit: 5, offset: 10 },
      { status: 'copying', limit: 10, offset: 0 },
      { limit: 1, offset: 7 },
    ]);
  });

  it('says which part of a longer list it is, and how to continue', async () => {
    for (const [command, items, total, said] of [
      [
        'recommendations --limit 1 --offset 7',
        [move],
        1_002,
        /\n\n8 to 8 of 1,002; continue with --offset 8\n$/,
      ],
      ['recommendations --limit 1 --offset 1001', [move], 1_002, /\n\n1,002 to 1,002 of 1,002\n$/],
      [
        'history uploads --limit 1 --offset 7',
        [file],
        120,
        /\n\n8 to 8 of 120; continue with --offset 8\n$/,
      ],
      ['recommendations --offset 9', [], 3, /^there are only 3\n$/],
    ] as const)
      assert.match((await srs(command, { client: lister(items, total).client })).stdout, said);
  });
});

describe('srs open', () => {
  it('opens the dashboard, prints its address, and says so where there is no browser', async () => {
    const opened: string[] = [];
    const openUrl = (url: string) => Promise.resolve(opened.push(url) > 0);
    const env = { SRS_BASE_URL: 'https://routing.example.com/srs/' };
    const ran = await srs('open', { openUrl, env });
    assert.deepEqual(opened, ['https://routing.example.com/srs/dashboard']);
    assert.deepEqual([ran.exitCode, ran.stdout, ran.stderr], [0, `${opened[0]}\n`, '']);
    const url = 'https://routing.example.com/dashboard';
    const without = await srs('open');
    assert.equal(without.stdout, `${url}\n`);
    assert.match(without.stderr, /^no browser could be opened here/);
    assert.deepEqual((await srs('open --json')).documents(), [{ url, opened: false }]);
  });
});
