import {
  escapeText,
  formatBytes,
  formatCount,
  formatMoney,
  formatNumber,
  type Relocation,
  type RelocationEstimate,
  type RelocationRequest,
  type RelocationsPage,
} from '@storage-routing/client';
import { pageText } from '../io/text.ts';
import { onceText } from './approval.ts';
import { rateText, SHOWN_FAILURES } from './migration.ts';

/** Formats what a start accepts. */
export function estimateText(
  { from, to }: Pick<RelocationRequest, 'from' | 'to'>,
  { files, bytes, quote, monthlyBeforeUsd, monthlyAfterUsd }: RelocationEstimate,
): string {
  return [
    `Move        ${formatCount(files, 'file')}, ${formatBytes(bytes)}, from ${placeText(from)} to ${escapeText(to)}`,
    `Costs once  ${onceText(quote)}`,
    `Storage     ${formatMoney(monthlyBeforeUsd)} a month now, then ${formatMoney(monthlyAfterUsd)}`,
    'Links       stay; an old object is deleted once no URL to it can be alive',
  ].join('\n');
}

export function relocationText(relocation: Relocation): string {
  const { from, to, status, quote, progress, costUsd, error, relocationId } = relocation;
  const { filesMoved, filesTotal, filesSkipped, filesFailed, bytesMoved, bytesTotal } = progress;
  const report = `srs relocation report ${relocationId}`;
  return [
    `${status}: ${placeText(from)} to ${placeText(to)}`,
    `moved    ${formatNumber(filesMoved)} of ${formatCount(filesTotal, 'file')}, ${formatBytes(bytesMoved)} of ${formatBytes(bytesTotal)}`,
    `skipped  ${formatNumber(filesSkipped)}, ${formatNumber(filesFailed)} failed${filesSkipped + filesFailed > 0 ? `; why: ${report}` : ''}`,
    `cost     ${formatMoney(costUsd)} of ${formatMoney(quote.totalUsd)}, started by ${escapeText(relocation.startedByName)} at ${relocation.startedAt}`,
    ...(error === null
      ? []
      : [`reason   ${escapeText(error.message)} (${escapeText(error.code)})`]),
    ...relocation.failures
      .slice(0, SHOWN_FAILURES)
      .map(({ fileId, code, reason }) => `failed   ${fileId}: ${escapeText(reason)} (${code})`),
    ...(status === 'draining'
      ? [
          `next     the links are at the new place; the old objects are deleted once no URL to them can be alive: srs relocation show ${relocationId}`,
        ]
      : []),
  ].join('\n');
}

const HEADS = ['RELOCATION', 'STATUS', 'DONE', 'WHAT', 'SIZE', 'COST ONCE', 'STARTED'];

export function relocationsText(page: RelocationsPage): string {
  if (page.total === 0) return 'no relocation: srs relocate starts one';
  return pageText(page, HEADS, ({ relocationId, status, from, to, progress, quote, startedAt }) => [
    relocationId,
    status,
    `${progress.percent} %`,
    `${placeText(from)} to ${placeText(to)}`,
    formatBytes(progress.bytesTotal),
    formatMoney(quote.totalUsd),
    startedAt,
  ]);
}

export function relocationProgress({ status, progress }: Relocation): string {
  const { filesMoved, filesTotal, bytesMoved, bytesTotal } = progress;
  const files = `${formatNumber(filesMoved)} of ${formatCount(filesTotal, 'file')}`;
  const bytes = `${formatBytes(bytesMoved)} of ${formatBytes(bytesTotal)}`;
  return `${status}: ${files}, ${bytes}${rateText(progress)}`;
}

function placeText({ provider, bucketName }: RelocationRequest['from']): string {
  return escapeText(`${provider}/${bucketName}`);
}
