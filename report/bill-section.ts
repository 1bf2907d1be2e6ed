import { BYTES_PER_DECIMAL_GB } from '../shared/units.ts';
import { formatMonth } from '../domain/common/format.ts';
import type { BillSummary } from '../domain/decision/types.ts';
import {
  formatCount,
  formatMoney,
  formatNumber,
  formatPercent,
  formatQuantity,
} from '../shared/amounts.ts';
import { describeBill, describeReadSource } from '../shared/audits.ts';
import { heading, paragraph, table, type Block, type Text } from './blocks.ts';
import type { ReportedBucket } from './bucket-sections.ts';

const MAX_LINES = 12;
const LEAST_SHOWN_USD = 0.005;

/** The first sentence of a report: what was paid, and how much of that the audit explains. */
export function billSentence(bill: BillSummary | null | undefined): string {
  return bill ? `${describeBill(bill, formatMonth(bill.period))} ` : '';
}

/** The lines of the bill beside what was listed, and what may be the rest. */
export function billSection(
  bill: BillSummary | null | undefined,
  buckets: readonly ReportedBucket[],
): readonly Block[] {
  if (!bill) return [];
  const { period, listUsd, netUsd, lines } = bill;
  const shown = lines.filter(({ netUsd: usd }) => usd >= LEAST_SHOWN_USD).slice(0, MAX_LINES);
  const others = lines.filter((line) => !shown.includes(line));
  const othersUsd = others.reduce((sum, line) => sum + line.netUsd, 0);
  return [
    heading(`Your bill of ${formatMonth(period)}`),
    ...(netUsd < listUsd
      ? [
          paragraph(
            `Your agreement takes ${formatPercent(1 - netUsd / listUsd)} off the list price of ${formatMoney(listUsd)}; S3 is priced as you pay it in this report.`,
          ),
        ]
      : []),
    table(
      ['Line', 'Region', '#Billed', '#Listed', '#Paid'],
      [
        ...shown.map((line): Text[] => [
          { code: line.usageType },
          line.region ?? 'another region',
          `${formatQuantity(line.quantity)} ${line.unit}`,
          line.listedQuantity === null ? '' : formatQuantity(line.listedQuantity),
          formatMoney(line.netUsd),
        ]),
        ...(others.length > 0
          ? [[formatCount(others.length, 'further line'), '', '', '', formatMoney(othersUsd)]]
          : []),
      ],
    ),
    ...unexplainedBlocks(bill),
    ...readsBlocks(buckets),
  ];
}

/** What nothing listed explains, line by line, and what may be the cause. */
function unexplainedBlocks({ unexplained, unexplainedUsd }: BillSummary): readonly Block[] {
  if (unexplainedUsd === 0) return [];
  const rows = unexplained.map(({ region, usageType, usd }): Text[] => [
    { code: usageType },
    region ?? 'another region',
    formatMoney(usd),
  ]);
  const othersUsd = unexplainedUsd - unexplained.reduce((sum, { usd }) => sum + usd, 0);
  const others =
    othersUsd >= LEAST_SHOWN_USD ? [['further lines', '', formatMoney(othersUsd)]] : [];
  return [
    heading('What of it is not explained', 3),
    paragraph(
      `${formatMoney(unexplainedUsd)} of its storage, at list prices, was not listed. It may be objects that were deleted since that month, table or directory buckets, buckets in regions that are not connected or that the role cannot see, and minimum storage durations.`,
    ),
    table(['Line', 'Region', '#Not explained'], [...rows, ...others]),
  ];
}

function readsBlocks(buckets: readonly ReportedBucket[]): readonly Block[] {
  const read = buckets.flatMap(({ name, decision }) =>
    decision.reads ? [{ name, reads: decision.reads }] : [],
  );
  const most = read
    .filter(
      ({ reads: { source, getsPerMonth, bytesPerMonth } }) =>
        source === 'measured' ||
        (source === 'apportioned' && (getsPerMonth > 0 || bytesPerMonth > 0)),
    )
    .sort((a, b) => b.reads.getsPerMonth - a.reads.getsPerMonth)
    .slice(0, MAX_LINES);
  if (most.length === 0) return [];
  return [
    heading('What is read', 3),
    paragraph(
      'Where a bill shows requests alone, each is taken as a read of a whole object: the GB are then the most that may have been read.',
    ),
    table(
      ['Bucket', '#Reads a month', '#GB read', '#GB to the internet', 'From'],
      most.map(({ name, reads }) => [
        { code: name },
        formatNumber(reads.getsPerMonth),
        formatGb(reads.bytesPerMonth),
        formatGb(reads.internetBytesPerMonth),
        describeReadSource(reads.source),
      ]),
    ),
  ];
}

function formatGb(bytes: number): string {
  return formatQuantity(bytes / BYTES_PER_DECIMAL_GB);
}
