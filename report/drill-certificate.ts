import type { Certificate } from '../domain/drills/certificate.ts';
import { formatBytes, formatCount, formatMoney, formatNumber } from '../shared/amounts.ts';
import { describeWhole } from '../shared/drills.ts';
import { heading, list, paragraph, table, type Block, type Page, type Text } from './blocks.ts';

/** The certificate of an exit drill for a person. The JSON has the SHA-256 that it names. */
export function certificatePage(certificate: Certificate, sha256: string): Page {
  const { from, to, sample, results, whole, completedAt, startedByName } = certificate;
  return {
    title: 'Certificate of an exit drill',
    about: `${from.provider}/${from.bucketName} to ${to.provider}/${to.bucketName}, started by ${startedByName} on ${certificate.startedAt}, ended on ${completedAt ?? ''}`,
    blocks: [
      heading('Result'),
      paragraph({ strong: resultOf(certificate) }, ` ${removalOf(certificate)}`),
      table(
        ['What', '#Value'],
        [
          ['Sampled', `${formatCount(sample.files, 'file')}, ${formatBytes(sample.bytes)}`],
          ['Copied', formatNumber(results.copied)],
          ['Read back with the credentials of the target alone', formatNumber(results.readBack)],
          ['Equal by SHA-256', formatNumber(results.equal)],
          ['Failed', formatNumber(results.failed)],
          ['Rate', `${formatBytes(results.bytesPerSecond)}/s`],
          ['Requests', formatNumber(results.requests)],
          ['Retries', formatNumber(results.retries)],
          ['Cost', formatMoney(certificate.costUsd)],
        ],
      ),
      ...failuresOf(certificate),
      heading('What it means for the whole'),
      paragraph(`All ${describeWhole(whole)}.`),
      heading('What was not tried'),
      ...list(certificate.notTried),
      heading('The sample'),
      table(
        ['Stratum', '#Sampled', '#Bytes', '#Of files', '#Of bytes'],
        sample.strata.map(({ what, files, bytes, ofFiles, ofBytes }) => [
          what,
          formatNumber(files),
          formatBytes(bytes),
          formatNumber(ofFiles),
          formatBytes(ofBytes),
        ]),
      ),
      heading('How it is checked'),
      ...list(certificate.method),
      table(
        ['What', 'Value'],
        [
          ['Drill', code(certificate.drillId)],
          ['Seed', code(certificate.seed)],
          ['Root hash', code(results.rootHash ?? 'none')],
          ['SHA-256 of the certificate as JSON', code(sha256)],
        ],
      ),
      heading('The objects that were read back equal'),
      table(
        ['Key', '#Bytes', 'SHA-256'],
        certificate.objects.map(({ key, bytes, sha256: ofObject }) => [
          code(key),
          formatNumber(bytes),
          code(ofObject ?? ''),
        ]),
      ),
    ],
  };
}

const code = (value: string): Text => ({ code: value });

function resultOf({ status, sample, results, error }: Certificate): string {
  if (status === 'cancelled') return 'The drill was cancelled.';
  if (status === 'failed') return `The drill has failed. ${error?.message ?? ''}`;
  return results.equal === sample.files
    ? `All ${formatCount(sample.files, 'file')} came through as they were.`
    : `${formatNumber(results.equal)} of ${formatCount(sample.files, 'file')} came through as they were.`;
}

function removalOf({ removed, left, to }: Certificate): string {
  return removed
    ? `Nothing of it is left in the bucket ${to.bucketName}.`
    : `The target has kept: ${left.join(', ')}.`;
}

function failuresOf({ results: { failures } }: Certificate): readonly Block[] {
  if (failures.length === 0) return [];
  const rows = failures.map(({ key, reason }) => [code(key), reason]);
  return [heading('What failed', 3), table(['Key', 'Why'], rows)];
}
