import { asSourceFailure } from '../source/errors.ts';
import type { Md5, Platform } from '../source/platform.ts';
import type { PutSource } from '../source/types.ts';
import { partSize, type PartsPlan, type SendContext } from './context.ts';

/** The ETags of the parts that a store holds, by part number. */
export type HeldParts = ReadonlyMap<number, string>;

/** The parts that the store holds with their full size. */
export async function listHeldParts(
  { files, options }: SendContext,
  plan: PartsPlan,
): Promise<HeldParts> {
  const held = new Map<number, string>();
  for await (const { partNumber, sizeBytes, etag } of files.listParts(plan.fileId, options)) {
    if (partNumber <= plan.partCount && sizeBytes === partSize(plan, partNumber)) {
      held.set(partNumber, etag);
    }
  }
  return held;
}

/** Whether the part at the store has these bytes. `onRead` is called after each piece. */
export type ComparePart = (source: PutSource, etag: string, onRead: () => void) => Promise<boolean>;

/** As many parts as can have been cut off together by the end of an earlier run. */
const MOST_IN_FLIGHT = 32;

/**
 * Compares parts with their ETags, which are MD5 hashes, except in buckets that are encrypted with
 * KMS keys (https://docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html). If none of the first
 * 32 matches, ETags are no MD5 there, and the sizes have to do.
 */
export function createComparison({ createMd5 }: Pick<Platform, 'createMd5'>): ComparePart {
  let matches = 0;
  let differences = 0;
  return async (source, etag, onRead) => {
    if (matches === 0 && differences === MOST_IN_FLIGHT) return true;
    const md5 = await computeMd5(await createMd5(), source, 'hex', onRead);
    const isSame = md5 === etag.replaceAll('"', '').toLowerCase();
    if (isSame) matches += 1;
    else differences += 1;
    return isSame;
  };
}

/** `onRead` is called after each piece. @throws StorageRoutingError `source_…` */
export async function computeMd5(
  hash: Md5,
  source: PutSource,
  encoding: 'hex' | 'base64',
  onRead: () => void,
): Promise<string> {
  try {
    for await (const piece of source.pieces()) {
      hash.update(piece);
      onRead();
    }
  } catch (error) {
    throw asSourceFailure(error);
  }
  return hash.digest(encoding);
}
