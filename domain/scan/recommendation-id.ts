import { createHash } from 'node:crypto';
import type { Recommendation } from '../decision/types.ts';

/**
 * The id of a recommendation: a name-based UUID (RFC 9562, version 5) of its kind, bucket and
 * selector within its scan. A repeated conclusion gives the same recommendations the same ids.
 */
export function recommendationIdOf(
  scanId: string,
  { kind, bucket, selector }: Pick<Recommendation, 'kind' | 'bucket' | 'selector'>,
): string {
  const { prefix, storageClass, minAgeDays, maxAgeDays, minSizeBytes } = selector;
  const name = [kind, bucket, prefix, storageClass, minAgeDays, maxAgeDays, minSizeBytes];
  const bytes = createHash('sha1')
    .update(Buffer.from(scanId.replaceAll('-', ''), 'hex'))
    .update(JSON.stringify(name))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
