import assert from 'node:assert/strict';
import type {
  ListedMigration,
  ListedRecommendation,
  PageOptions,
  RoutedFile,
  ScanLine,
} from '../../../sdk/src/index.ts';
import { itemOf } from '../examples.ts';
import { CONNECTION_ID, type FakeClient, srs } from './terminal.ts';

const scan = itemOf<ScanLine>('GET /v1/scanner/history');
const running: ScanLine = {
  ...scan,
  status: 'running',
  completedAt: null,
  currentMonthlyCostUsd: null,
  monthlySavingsUsd: null,
  verdict: null,
  confidence: null,
};
const file = itemOf<RoutedFile>('GET /v1/analytics/routing-history', {
  fileName: 'film\u001B[2J.mp4',
  savedVsAwsUsd: -0.5,
});
const move = itemOf<ListedRecommendation>('GET /v1/scanner/recommendations', {
  selector: { prefix: '2024/\u001B[2J' },
});
const cleanUp: ListedRecommendation = {
  ...move,
  kind: 'abort_multipart_uploads',
  selector: { ...move.selector, prefix: null },
  recommendedProvider: null,
  options: [],
};
const migration = itemOf<ListedMigration>('GET /v1/scanner/migrations', {
  status: 'copying',
  percent: 40,
  completedAt: null,
  realised: null,
});
const queued = { ...migration, status: 'queued', percent: null } as const;

/** A client whose lists all hold these items, and the queries that it was asked. */
function lister(items: readonly unknown[], total = items.length) {
  const asked: object[] = [];
  const answer = ({ signal: _signal, ...query }: PageOptions = {}) => {
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

interface List {
  readonly items: readonly unknown[];
  readonly head: RegExp;
  readonly rows: readonly RegExp[];
  /** What is said where there is nothing. */
  readonly none: RegExp;
}

const SCANS: List = {
  items: [scan, running],
  head: /^SCAN +STATUS +STARTED +OBJECTS +SIZE +A MONTH +SAVES +VERDICT$/,
  rows: [
    / completed +2026-11-20T12:00:00\.000Z +2,000 +451 GB +\$9\.66 +\$6\.52 +migrate$/,
    / running +\S+ +2,000 +451 GB +- +- +-$/,
  ],
  none: /srs scan/,
};
const LISTS: Readonly<Record<string, List>> = {
  history: SCANS,
  'history scans': SCANS,
  'history uploads': {
    items: [file],
    head: /^\S/,
    rows: [
      /^5f1d\S+ +active +r2 +48\.2 KB +-\$0\.50 +2026-11-20T12:00:00\.000Z +film\\u\{1b\}\[2J\.mp4$/,
    ],
    none: /srs put/,
  },
  recommendations: {
    items: [move, cleanUp],
    head: /^RECOMMENDATION +STATUS +WHAT +SIZE +SAVES A MONTH +COSTS ONCE +WAITING SAVES$/,
    rows: [
      /^3b9d\S+ +open +move acme-media\/2024\/\\u\{1b\}\[2J to b2 +451 GB +\$6\.52 +\$37\.79 +-$/,
      /^3b9d\S+ +open +abort incomplete uploads in acme-media\/ .* -$/,
    ],
    none: /^no recommendation/,
  },
  migrations: {
    items: [migration, queued],
    head: /^MIGRATION +STATUS +DONE +WHAT +SIZE +COST ONCE +SAVES A MONTH +APPROVED$/,
    rows: [
      /^c2f4\S+ +copying +40 % +acme-media\/ to b2 +451 GB +\$37\.79 +\$6\.52 +2026-11-20T14:30:00\.000Z$/,
      /^c2f4\S+ +queued +- /,
    ],
    none: /./,
  },
};

describe('a list', () => {
  for (const [command, { items, head, rows, none }] of Object.entries(LISTS)) {
    it(`is a table, escaped for a terminal, and the whole answer with --json: srs ${command}`, async () => {
      const { client } = lister(items);
      const { stdout, exitCode } = await srs(command, { client });
      assert.equal(exitCode, 0);
      const [heads = '', ...lines] = stdout.trimEnd().split('\n');
      assert.match(heads, head);
      assert.equal(lines.length, rows.length);
      for (const [index, row] of rows.entries()) assert.match(lines[index] ?? '', row);
      const [document] = (await srs(`${command} --json`, { client })).documents();
      const page = rows === SCANS.rows ? {} : { total: items.length, limit: 10, offset: 0 };
      assert.deepEqual(document, { items, ...page });
      const empty = await srs(command, { client: lister([]).client });
      assert.match(empty.stdout, none);
    });
  }

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
    const { client } = lister([move], 1_002);
    for (const [command, said] of [
      ['recommendations --limit 1 --offset 7', /\n\n8 to 8 of 1,002; continue with --offset 8\n$/],
      ['recommendations --limit 1 --offset 1001', /\n\n1,002 to 1,002 of 1,002\n$/],
    ] as const)
      assert.match((await srs(command, { client })).stdout, said);
    const files = await srs('history uploads --limit 1 --offset 7', {
      client: lister([file], 120).client,
    });
    assert.match(files.stdout, /\n\n8 to 8 of 120; continue with --offset 8\n$/);
    const beyond = await srs('recommendations --offset 9', { client: lister([], 3).client });
    assert.equal(beyond.stdout, 'there are only 3\n');
  });
});

describe('srs open', () => {
  it('opens the dashboard, and prints its address', async () => {
    const opened: string[] = [];
    const openUrl = (url: string) => Promise.resolve(opened.push(url) > 0);
    const env = { SRS_BASE_URL: 'https://routing.example.com/srs/' };
    const ran = await srs('open', { openUrl, env });
    assert.deepEqual(opened, ['https://routing.example.com/srs/dashboard']);
    assert.deepEqual([ran.exitCode, ran.stdout, ran.stderr], [0, `${opened[0]}\n`, '']);
  });

  it('says so where there is no browser', async () => {
    const url = 'https://routing.example.com/dashboard';
    const ran = await srs('open');
    assert.equal(ran.stdout, `${url}\n`);
    assert.match(ran.stderr, /^no browser could be opened here/);
    assert.deepEqual((await srs('open --json')).documents(), [{ url, opened: false }]);
  });
});
