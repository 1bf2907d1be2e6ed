import assert from 'node:assert/strict';
import type { RoutedFile, ScanLine } from '../../../sdk/src/index.ts';
import { type FakeClient, srs } from './terminal.ts';

const scan: ScanLine = {
  scanId: '5ca70000-0000-4000-8000-000000000001',
  connectionId: 'c0770000-0000-4000-8000-000000000001',
  status: 'completed',
  startedAt: '2026-11-20T12:00:00.000Z',
  completedAt: '2026-11-20T12:05:00.000Z',
  objects: 1_234_567,
  bytes: 5_000_000_000,
  currentMonthlyCostUsd: 115,
  monthlySavingsUsd: 70.5,
  verdict: 'migrate_partly',
  confidence: 0.8,
};
const running: ScanLine = {
  ...scan,
  status: 'running',
  completedAt: null,
  currentMonthlyCostUsd: null,
  monthlySavingsUsd: null,
  verdict: null,
  confidence: null,
};

const file: RoutedFile = {
  fileId: 'f11e0000-0000-4000-8000-000000000001',
  fileName: 'film\u001B[2J.mp4',
  fileSizeBytes: 5_000_000,
  priority: 'hot',
  provider: 'r2',
  preferredProvider: 'r2',
  status: 'active',
  savedVsAwsUsd: -0.5,
  routingWarning: null,
  createdAt: '2026-11-20T12:00:00.000Z',
};

/** A client with these scans and uploads, and the pages that it was asked for. */
function historian(scans: ScanLine[], files: RoutedFile[], total = files.length) {
  const asked: unknown[] = [];
  const client: FakeClient = {
    scanner: { history: () => Promise.resolve({ items: scans }) },
    analytics: {
      routingHistory: ({ limit = 10, offset = 0 } = {}) => {
        asked.push({ limit, offset });
        return Promise.resolve({ items: files, total, limit, offset });
      },
    },
  };
  return { client, asked };
}

describe('srs history', () => {
  it('prints the scans, those without a result too', async () => {
    const { client } = historian([scan, running], []);
    for (const args of [['history'], ['history', 'scans']]) {
      const { stdout, exitCode } = await srs(args, { client });
      assert.equal(exitCode, 0);
      const [heads, ...rows] = stdout.trimEnd().split('\n');
      assert.match(heads ?? '', /^SCAN +STATUS +STARTED +OBJECTS +SIZE +A MONTH +SAVES +VERDICT$/);
      assert.match(
        rows[0] ?? '',
        / completed +2026-11-20T12:00:00\.000Z +1,234,567 +5\.0 GB +\$115\.000000 +\$70\.500000 +migrate_partly$/,
      );
      assert.match(rows[1] ?? '', / running +\S+ +1,234,567 +5\.0 GB +- +- +-$/);
    }
    const json = await srs(['history', '--json'], { client });
    assert.deepEqual(json.documents(), [{ items: [scan, running] }]);
  });

  it('prints a page of uploads, and how to continue', async () => {
    const { client, asked } = historian([], [file], 120);
    const { stdout } = await srs(['history', 'uploads', '--limit', '1', '--offset', '7'], {
      client,
    });
    assert.deepEqual(asked, [{ limit: 1, offset: 7 }]);
    assert.match(
      stdout,
      /\nf11e\S+ +active +r2 +5\.0 MB +-\$0\.500000 +2026-11-20T12:00:00\.000Z +film\\u\{1b\}\[2J\.mp4\n\n8 to 8 of 120; continue with --offset 8\n$/,
    );
    const json = await srs(['history', 'uploads', '--json'], { client });
    assert.deepEqual(json.documents(), [{ items: [file], total: 120, limit: 10, offset: 0 }]);
  });

  it('says how to begin where there is nothing', async () => {
    const { client } = historian([], []);
    assert.match((await srs(['history'], { client })).stdout, /srs scan/);
    assert.match((await srs(['history', 'uploads'], { client })).stdout, /srs put/);
  });
});

describe('srs open', () => {
  it('opens the dashboard, and prints its address', async () => {
    const opened: string[] = [];
    const openUrl = (url: string) => Promise.resolve(opened.push(url) > 0);
    const env = { SRS_BASE_URL: 'https://routing.example.com/srs/' };
    const ran = await srs(['open'], { openUrl, env });
    assert.deepEqual(opened, ['https://routing.example.com/srs/dashboard']);
    assert.deepEqual([ran.exitCode, ran.stdout, ran.stderr], [0, `${opened[0]}\n`, '']);
  });

  it('says so where there is no browser', async () => {
    const ran = await srs(['open'], {});
    assert.equal(ran.stdout, 'https://routing.example.com/dashboard\n');
    assert.match(ran.stderr, /^no browser could be opened here/);
    const json = await srs(['open', '--json'], {});
    assert.deepEqual(json.documents(), [
      { url: 'https://routing.example.com/dashboard', opened: false },
    ]);
  });
});
