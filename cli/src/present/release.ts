import {
  escapeText,
  formatBytes,
  formatMoney,
  formatNumber,
  type Release,
} from '@storage-routing/client';
import { escapeLines } from '../io/text.ts';

const SHOWN_DIFFERENCES = 10;

export function releaseText(migrationId: string, release: Release): string {
  const { status, objects, bytes, differences, monthlySavingsUsd, validUntil, rootHash } = release;
  const proven = `${formatNumber(objects)} objects, ${formatBytes(bytes)}`;
  switch (status) {
    case 'checking':
      return `checking: ${proven} proven so far; srs release ${migrationId} --show`;
    case 'failed':
      return `failed: ${escapeText(release.error?.message ?? 'the check failed')}`;
    case 'not_ready':
      return [
        `not ready: ${proven} proven, ${formatNumber(differences.total)} differ`,
        ...differences.items
          .slice(0, SHOWN_DIFFERENCES)
          .map(({ key, code }) => `${code.padEnd(15)} ${escapeText(key)}`),
        `next     srs round ${migrationId} --max-total-usd <usd>, then srs release ${migrationId} --wait`,
      ].join('\n');
    case 'ready':
      return [
        `ready: ${proven}, until ${validUntil ?? ''}`,
        `saves    ${formatMoney(monthlySavingsUsd)} a month once they are deleted`,
        `root     ${rootHash ?? ''}`,
        '',
        escapeText(release.howTo?.summary ?? ''),
        '',
        ...(release.howTo?.commands ?? []).map(escapeLines),
      ].join('\n');
  }
}
