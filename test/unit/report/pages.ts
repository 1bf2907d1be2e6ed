import assert from 'node:assert/strict';
import type { ReportInput } from '../../../report/content.ts';
import { toReported } from '../../../report/bucket-sections.ts';
import type { Page, Table, Text } from '../../../report/blocks.ts';
import { toInlines } from '../../../report/blocks.ts';
import type { AccountUsage } from '../../../domain/bill/bill.ts';
import type { DecisionRequest } from '../../../domain/decision/types.ts';
import type { BucketInventory } from '../../../domain/inventory/inventory.ts';
import { NO_CHANGES } from '../../../domain/scans/changes.ts';
import { deriveRecommendationId } from '../../../domain/recommendations/recommendation.ts';
import * as inventories from '../domain/decision/inventories.ts';
import { bucket, GIB, group, MIB } from '../domain/decision/inventories.ts';
import { priceBook } from '../price-book.ts';
import { catalogue } from '../price-book.ts';

const SCAN_ID = '5b2f1f0a-55a1-4f5e-9a39-4b9b9a2c9d11';
const STARTED_AT = new Date('2026-11-20T12:00:00Z');

/** A bill by which some of what both regions hold is read, from the internet alone. */
const USAGE: AccountUsage = {
  metrics: new Map(),
  bill: {
    period: '2026-10',
    estimated: false,
    rows: ['us-east-1', 'eu-central-1'].flatMap(
      (region) => inventories.publicUsage(3_000, region).bill?.rows ?? [],
    ),
  },
};

/** What the report is made of, for a scan of these buckets. */
export function inputOf(
  buckets: readonly BucketInventory[],
  more: Partial<DecisionRequest> = {},
  withReport = true,
): ReportInput {
  const decision = inventories.decideOn(buckets, {
    startedAt: STARTED_AT,
    usage: USAGE,
    ...more,
  });
  const groups = buckets.flatMap((one) => one.groups);
  const sum = (field: 'objects' | 'bytes') => groups.reduce((all, one) => all + one[field], 0);
  const { currentMonthlyCostUsd, optimalMonthlyCostUsd, monthlySavingsUsd } = decision;
  const owner = { accountId: 'acme', connectionId: 'connection', scanId: SCAN_ID };
  return {
    scan: {
      ...owner,
      provider: 'aws',
      status: 'completed',
      startedAt: more.startedAt ?? STARTED_AT,
      completedAt: new Date('2026-11-20T12:04:31Z'),
      error: null,
      progress: { bucketsTotal: 1, bucketsDone: 1, objects: 1, bytes: 1 },
      requests: { list: 2_400, other: 70, costUsd: 0.012 },
      summary: {
        buckets: buckets.length,
        objects: sum('objects'),
        bytes: sum('bytes'),
        currentMonthlyCostUsd,
        optimalMonthlyCostUsd,
        monthlySavingsUsd,
        workloadProfile: decision.report.workloadProfile,
        findings: decision.findings,
        coverage: [],
        bill: decision.bill,
      },
      decisionReport: withReport ? decision.report : null,
      revisions: [],
      changes: NO_CHANGES,
    },
    sourceAccount: '123456789012',
    catalogue,
    dashboardUrl: 'https://routing.example.com/dashboard',
    buckets: decision.buckets.map((one) => {
      const inventory = buckets.find(({ name }) => name === one.name);
      assert.ok(inventory);
      return toReported({ inventory, decision: one });
    }),
    recommendations: decision.recommendations.map((one) =>
      Object.assign({}, one, owner, {
        recommendationId: deriveRecommendationId(SCAN_ID, one),
        cloudAccountId: '123456789012',
        status: 'open' as const,
        expiresAt: new Date('2026-12-20T12:00:00Z'),
        approval: null,
        revision: 0,
      }),
    ),
    now: STARTED_AT,
    switchingChargeBan: priceBook.switchingChargeBan('aws'),
  };
}

export const SAMPLE: readonly BucketInventory[] = [
  bucket([group('videos/', 'STANDARD', 2, 20_000, 200 * MIB)], { name: 'media' }),
  bucket([group('app/', 'STANDARD', 2, 80_000, 40 * MIB), group('web/', 'STANDARD', 1, 9_000)], {
    name: 'logs',
    region: 'eu-central-1',
    lifecycle: 'none',
  }),
  bucket([group('db/', 'STANDARD', 1, 900, 5 * GIB), group('db/', 'GLACIER', 3, 900, GIB)], {
    name: 'backups',
    region: 'eu-central-1',
    oldVersions: [inventories.oldVersions('STANDARD', 3_000, GIB)],
    incompleteUploads: {
      uploads: 14,
      bytes: 4e11,
      abortable: { uploads: 0, bytes: 0 },
      oldestAt: new Date('2026-03-01'),
    },
    lifecycle: 'without_abort',
  }),
  bucket([], { name: 'empty-1', lifecycle: 'none' }),
  bucket([], { name: 'empty-2', lifecycle: 'none' }),
];

export const words = (text: Text) =>
  toInlines(text)
    .map((piece) => (typeof piece === 'string' ? piece : Object.values(piece)[0]))
    .join('');
const tablesOf = ({ blocks }: Page) => blocks.filter((block) => block.kind === 'table');
export const headingsOf = ({ blocks }: Page) =>
  blocks.flatMap((block) =>
    block.kind === 'heading' && block.level === 2 ? words(block.text) : [],
  );
export const tableUnder = (page: Page, title: string): Table => {
  const at = page.blocks.findIndex(
    (block) => block.kind === 'heading' && words(block.text).startsWith(title),
  );
  const found = page.blocks.slice(at + 1).find((block) => block.kind === 'table');
  assert.ok(at >= 0 && found, title);
  return found;
};
/** An amount as it is shown; an empty cell and less than a cent are nothing. */
export const amountOf = (cell: Text | undefined): number =>
  Number(
    words(cell ?? '')
      .replace('−', '-')
      .replace(/-?<\$0\.01/, '0')
      .replaceAll(/[$,+]|( a month$)/g, ''),
  );

/** Every column of amounts, down to the last row. */
function assertAddsUp({ columns, rows }: Table, unit: number): void {
  for (const [at, { title, isNumber }] of columns.entries()) {
    if (!isNumber || title === 'Size' || title === 'Objects' || title === 'Paid back') continue;
    const amounts = rows.map((row) => Math.round(amountOf(row[at]) * unit));
    const sum = amounts.slice(0, -1).reduce((all, amount) => all + amount, 0);
    assert.equal(amounts.at(-1), sum, title);
  }
}

export function assertPageAddsUp(page: Page): void {
  for (const one of tablesOf(page)) {
    assert.ok(one.columns.length <= 7, one.columns.map(({ title }) => title).join());
    if (one.hasSum) assertAddsUp(one, 100);
  }
}
