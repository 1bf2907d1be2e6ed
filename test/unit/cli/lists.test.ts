import assert from 'node:assert/strict';
import type {
  ListedMigration,
  ListedRecommendation,
  MigrationsOptions,
  RecommendationsOptions,
} from '../../../sdk/src/index.ts';
import { srs, type FakeClient } from './terminal.ts';

const move = {
  recommendationId: 'r-1',
  kind: 'move',
  status: 'open',
  bucket: 'logs',
  selector: { prefix: '2024/\u001B[2J' },
  bytes: 10_000_000_000,
  monthlySavingsUsd: 0.17,
  recommendedProvider: 'b2',
  recommendedStorageClass: 'STANDARD',
  options: [{ provider: 'r2' }, { provider: 'b2', quote: { totalUsd: 0.93 } }],
} as unknown as ListedRecommendation;
const cleanUp = {
  ...move,
  recommendationId: 'r-2',
  kind: 'abort_multipart_uploads',
  selector: { prefix: null },
  recommendedProvider: null,
  options: [],
} as unknown as ListedRecommendation;

const migration: ListedMigration = {
  migrationId: '31600000-0000-4000-8000-000000000001',
  recommendationId: 'r-1',
  bucket: 'logs',
  prefix: null,
  targetProvider: 'b2',
  status: 'copying',
  objectsTotal: 12,
  bytesTotal: 5_000,
  percent: 40,
  quoteTotalUsd: 0.93,
  monthlySavingsUsd: 0.17,
  approvedBy: 'me',
  approvedAt: '2026-11-20T12:00:00.000Z',
  completedAt: null,
  realised: null,
};

interface Found {
  recommendations?: readonly ListedRecommendation[];
  migrations?: readonly ListedMigration[];
  total?: number;
}

/** A client that answers with these pages, and the queries that it was asked. */
function lister({ recommendations = [], migrations = [], total }: Found = {}) {
  const asked: (RecommendationsOptions | MigrationsOptions)[] = [];
  const answer = <Item>(
    items: readonly Item[],
    { signal: _signal, ...query }: RecommendationsOptions | MigrationsOptions = {},
  ) => {
    asked.push(query);
    const { limit = 10, offset = 0 } = query;
    return Promise.resolve({ items: [...items], total: total ?? items.length, limit, offset });
  };
  const client: FakeClient = {
    scanner: { recommendations: (options) => answer(recommendations, options) },
    migrations: { list: (options) => answer(migrations, options) },
  };
  return { client, asked };
}

describe('srs recommendations', () => {
  it('prints a table, escaped for a terminal', async () => {
    const { client } = lister({ recommendations: [move, cleanUp] });
    const { stdout, exitCode } = await srs(['recommendations'], { client });
    assert.equal(exitCode, 0);
    const [heads, first, second, ...rest] = stdout.trimEnd().split('\n');
    assert.match(
      heads ?? '',
      /^RECOMMENDATION +STATUS +WHAT +SIZE +SAVES A MONTH +COSTS ONCE +WAITING SAVES$/,
    );
    assert.match(
      first ?? '',
      /^r-1 +open +move logs\/2024\/\\u\{1b\}\[2J to b2 +10\.0 GB +\$0\.170000 +\$0\.930000 +-$/,
    );
    assert.match(second ?? '', /^r-2 +open +abort incomplete uploads in logs\/ .* -$/);
    assert.deepEqual(rest, []);
  });

  it('asks for what the options say', async () => {
    const { client, asked } = lister();
    await srs(['recommendations'], { client });
    const connectionId = 'c0770000-0000-4000-8000-000000000001';
    const filter = [
      '--status',
      'open',
      '--connection-id',
      connectionId,
      '--limit',
      '5',
      '--offset',
      '10',
    ];
    await srs(['recommendations', ...filter], { client });
    assert.deepEqual(asked, [
      { status: undefined, connectionId: undefined, limit: 10, offset: 0 },
      { status: 'open', connectionId, limit: 5, offset: 10 },
    ]);
  });

  it('says which part of a longer list it is, and how to continue', async () => {
    const page = lister({ recommendations: [move], total: 1_002 });
    const args = ['recommendations', '--limit', '1', '--offset'];
    const first = await srs([...args, '7'], { client: page.client });
    assert.match(first.stdout, /\n\n8 to 8 of 1,002; continue with --offset 8\n$/);
    const last = await srs([...args, '1001'], { client: page.client });
    assert.match(last.stdout, /\n\n1,002 to 1,002 of 1,002\n$/);
    const empty = await srs([...args, '9'], { client: lister({ total: 3 }).client });
    assert.equal(empty.stdout, 'there are only 3\n');
    const none = await srs(['recommendations'], { client: lister().client });
    assert.match(none.stdout, /^no recommendation/);
  });

  it('prints the whole page with --json', async () => {
    const { client } = lister({ recommendations: [move] });
    const ran = await srs(['recommendations', '--json'], { client });
    assert.deepEqual(ran.documents(), [{ items: [move], total: 1, limit: 10, offset: 0 }]);
  });
});

describe('srs migrations', () => {
  it('prints a table', async () => {
    const queued = { ...migration, status: 'queued', percent: null } as const;
    const { client } = lister({ migrations: [migration, queued] });
    const { stdout, exitCode } = await srs(['migrations'], { client });
    assert.equal(exitCode, 0);
    assert.match(
      stdout,
      /^MIGRATION +STATUS +DONE +WHAT +SIZE +COST ONCE +SAVES A MONTH +APPROVED\n/,
    );
    assert.match(
      stdout,
      /\n31600000\S+ +copying +40 % +logs\/ to b2 +5\.0 kB +\$0\.930000 +\$0\.170000 +2026-11-20T12:00:00\.000Z\n/,
    );
    assert.match(stdout, /\n31600000\S+ +queued +- /);
  });

  it('asks for one state, and prints the page with --json', async () => {
    const { client, asked } = lister({ migrations: [migration] });
    const ran = await srs(['migrations', '--status', 'copying', '--json'], { client });
    assert.deepEqual(asked, [{ status: 'copying', limit: 10, offset: 0 }]);
    assert.deepEqual(ran.documents(), [{ items: [migration], total: 1, limit: 10, offset: 0 }]);
  });
});

describe('both lists', () => {
  for (const command of ['recommendations', 'migrations']) {
    for (const args of [
      ['--status', 'none'],
      ['--limit', '0'],
      ['--limit', '51'],
      ['--offset', '10001'],
      ['--offset', '1e2'],
    ])
      it(`refuse: srs ${command} ${args.join(' ')}`, async () => {
        const { client, asked } = lister();
        assert.equal((await srs([command, ...args], { client })).exitCode, 2);
        assert.deepEqual(asked, []);
      });

    it(`show examples: srs ${command} --help`, async () => {
      const { stdout, exitCode } = await srs([command, '--help']);
      assert.equal(exitCode, 0);
      assert.match(stdout, new RegExp(`\nExamples:\n {2}srs ${command}`));
    });
  }
});
