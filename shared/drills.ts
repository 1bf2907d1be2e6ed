import { formatBytes, formatCount, formatMoney } from './amounts.ts';

/** What the move of all takes, and costs. */
interface Whole {
  readonly files: number;
  readonly bytes: number;
  /** With two workers; null: no rate was measured. */
  readonly hoursFrom: number | null;
  readonly hoursTo: number | null;
  readonly onceUsd: number;
  readonly monthlyUsd: number;
}

/** `9 files, 4.2 TB: 31 to 48 hours with two workers, $384.00 once, then $29.00 a month` */
export function describeWhole({ files, bytes, onceUsd, monthlyUsd, ...hours }: Whole): string {
  const { hoursFrom, hoursTo } = hours;
  const range = hoursTo === 0 ? 'under 0.1' : `${hoursFrom} to ${hoursTo}`;
  const time = hoursTo === null ? 'no rate was measured' : `${range} hours with two workers`;
  return `${formatCount(files, 'file')}, ${formatBytes(bytes)}: ${time}, ${formatMoney(onceUsd)} once, then ${formatMoney(monthlyUsd)} a month`;
}
