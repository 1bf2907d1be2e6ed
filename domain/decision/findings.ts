import { FINDING_CODES, type Finding, type FindingCode } from './answer.ts';
import type { Leftover } from './answers.ts';
import type { PricedBucket } from './bucket.ts';
import { classStorageUsd } from './change.ts';
import { shown } from './rounding.ts';
import type { Stock } from './stock.ts';
import { BAND_COUNT } from './table.ts';
import { count, size, usd } from './words.ts';

/** What is worth knowing of one bucket, in the order of `FINDING_CODES`. */
export function findingsOf(
  bucket: PricedBucket,
  stock: Stock,
  withoutSelector: Leftover,
): readonly Finding[] {
  return [
    ...needsRestore(bucket),
    ...incompleteUploads(bucket, stock),
    ...oldVersions(bucket, stock),
    ...lifecycle(bucket),
    ...smallObjects(bucket),
    ...emptyBucket(bucket),
    ...copiedNotYetSaved(stock),
    ...noSelector(withoutSelector),
  ].sort((a, b) => FINDING_CODES.indexOf(a.code) - FINDING_CODES.indexOf(b.code));
}

/** Of the scan: the answers that are not listed. */
export function leftoverFindings(
  belowMinimum: Leftover,
  more: Leftover,
  minMonthlySavingsUsd: number,
): readonly Finding[] {
  const sum = (code: FindingCode, leftover: Leftover, message: string): Finding[] =>
    leftover.answers === 0
      ? []
      : [finding(code, message, leftover.objects, leftover.bytes, leftover.savingsUsd)];
  const together = ({ savingsUsd }: Leftover) => `${usd(savingsUsd)} USD a month together`;
  return [
    ...sum(
      'below_minimum',
      belowMinimum,
      `${count(belowMinimum.answers, 'answer')} would save less than ${usd(minMonthlySavingsUsd)} USD a month each, ${together(belowMinimum)}.`,
    ),
    ...sum(
      'more_recommendations',
      more,
      `${count(more.answers, 'more recommendation')} would save ${together(more)}.`,
    ),
  ];
}

function finding(
  code: FindingCode,
  message: string,
  objects = 0,
  bytes = 0,
  monthlyCostUsd = 0,
): Finding {
  return { code, message, objects, bytes, monthlyCostUsd: shown(monthlyCostUsd) };
}

function needsRestore(bucket: PricedBucket): Finding[] {
  let [objects, bytes, costUsd] = [0, 0, 0];
  for (const [index, rates] of bucket.rates.entries()) {
    if (!rates.hasSheet || !rates.sheet.archived) continue;
    for (let band = 0; band < BAND_COUNT; band += 1) {
      const tally = bucket.table.whole[index * BAND_COUNT + band];
      objects += tally?.objects ?? 0;
      bytes += tally?.bytes ?? 0;
    }
    costUsd += classStorageUsd(bucket, index);
  }
  if (objects === 0) return [];
  const message = `${count(objects, 'object')} (${size(bytes)}) must be restored before anything else can be done with them; storing them costs ${usd(costUsd)} USD a month.`;
  return [finding('needs_restore', message, objects, bytes, costUsd)];
}

function incompleteUploads({ table }: PricedBucket, stock: Stock): Finding[] {
  const { objects, bytes, storageUsd } = stock.incompleteUploads;
  if (objects === 0) return [];
  const { oldestAt } = table.bucket.incompleteUploads;
  const oldest = oldestAt ? `, the oldest of ${oldestAt.toISOString().slice(0, 10)}` : '';
  const message = `${count(objects, 'multipart upload')} never finished${oldest}; the parts (${size(bytes)}) cost ${usd(storageUsd)} USD a month.`;
  return [finding('incomplete_multipart_uploads', message, objects, bytes, storageUsd)];
}

function oldVersions({ table }: PricedBucket, stock: Stock): Finding[] {
  const { objects, bytes, storageUsd } = stock.oldVersions;
  const { deleteMarkers } = table.bucket;
  if (objects === 0 && deleteMarkers === 0) return [];
  const message = `${count(objects, 'old version')} (${size(bytes)}) and ${count(deleteMarkers, 'delete marker')} cost ${usd(storageUsd)} USD a month.`;
  return [finding('old_versions', message, objects, bytes, storageUsd)];
}

function lifecycle({ table }: PricedBucket): Finding[] {
  switch (table.bucket.lifecycle) {
    case 'none':
      return [noAbortRule(), finding('no_lifecycle_rule', 'The bucket has no lifecycle rule.')];
    case 'without_abort':
      return [noAbortRule()];
    case 'with_abort':
    case 'unknown':
      return [];
  }
}

function noAbortRule(): Finding {
  return finding('no_abort_multipart_rule', 'No lifecycle rule aborts incomplete uploads.');
}

function smallObjects({ table, rates }: PricedBucket): Finding[] {
  let [objects, bytes, billedUsd] = [0, 0, 0];
  for (const [index, ofClass] of rates.entries()) {
    if (!ofClass.hasSheet || ofClass.sheet.minBillableBytes.value === 0) continue;
    for (let band = 0; band < BAND_COUNT; band += 1) {
      const tally = table.whole[index * BAND_COUNT + band];
      const ofBand = ofClass.bands[band];
      if (!tally || !ofBand) continue;
      objects += tally.smallObjects;
      bytes += tally.smallBytes;
      billedUsd += tally.smallObjects * ofBand.smallObjectUsd;
    }
  }
  if (objects === 0) return [];
  const message = `${count(objects, 'object')} (${size(bytes)}) are smaller than the least that their class bills: they are billed ${usd(billedUsd)} USD a month.`;
  return [finding('small_objects', message, objects, bytes, billedUsd)];
}

function emptyBucket({ table }: PricedBucket): Finding[] {
  const { oldVersions, deleteMarkers, incompleteUploads } = table.bucket;
  const isEmpty =
    table.prefixes.length === 0 &&
    oldVersions.every(({ objects }) => objects === 0) &&
    deleteMarkers === 0 &&
    incompleteUploads.uploads === 0;
  return isEmpty ? [finding('empty_bucket', 'The bucket holds nothing.')] : [];
}

function copiedNotYetSaved({ copied }: Stock): Finding[] {
  const { objects, bytes, storageUsd } = copied;
  if (objects === 0) return [];
  const message = `Copied already and still at the source: ${count(objects, 'object')} (${size(bytes)}), for ${usd(storageUsd)} USD a month. It may be deleted there once the evidence of the migration was checked.`;
  return [finding('copied_not_yet_saved', message, objects, bytes, storageUsd)];
}

function noSelector({ answers, objects, bytes, savingsUsd }: Leftover): Finding[] {
  if (answers === 0) return [];
  const message = `${count(objects, 'object')} (${size(bytes)}) outside the largest prefixes would save ${usd(savingsUsd)} USD a month, but no selector names them alone.`;
  return [finding('no_selector', message, objects, bytes, savingsUsd)];
}
