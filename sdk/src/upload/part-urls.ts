import { StorageRoutingError } from '../http/errors.ts';
import type { PartUrl } from '../http/api-types.ts';
import { partSize, type PartsPlan, type SendContext } from './context.ts';

/** Presigned URLs of parts, requested in bulk shortly before their use. */
export interface PartUrls {
  /** For a part that is sent for the first time. Part numbers are taken in ascending order. */
  take(partNumber: number): Promise<string>;
  /** A new URL for a part that is sent again. */
  renew(partNumber: number): Promise<string>;
  /** Drops the URLs that were requested ahead: a store has refused one. */
  forget(): void;
}

/** The most that the service presigns in one call. */
const LARGEST_BATCH = 100;

/** A batch that is used up faster than this is doubled, so that a fast upload makes few calls. */
const QUICK_BATCH_MS = 30_000;

/**
 * @param numbers the parts that are sent for sure, ascending.
 */
export function createPartUrls(
  { settings, files, options }: SendContext,
  plan: PartsPlan,
  numbers: readonly number[],
  parallel: number,
): PartUrls {
  const kept = new Map<number, string>();
  let keptUntilMs = 0;
  let batch = Math.min(LARGEST_BATCH, 2 * parallel);
  let requestedAtMs = Number.NEGATIVE_INFINITY;
  let turn: Promise<unknown> = Promise.resolve();
  const request = async (wanted: readonly number[]) => {
    const { parts, expiresAt } = await files.uploadParts(plan.fileId, wanted, options);
    const urls = new Map(parts.map((part) => [part.partNumber, urlIn(part, plan, options)]));
    const first = urls.get(wanted[0] ?? 0);
    if (first === undefined) throw invalidAnswer(options);
    return { first, urls, expiresAtMs: Date.parse(expiresAt) };
  };
  const renew = async (partNumber: number): Promise<string> => (await request([partNumber])).first;
  const takeNow = async (partNumber: number): Promise<string> => {
    const nowMs = settings.now();
    const url = kept.get(partNumber);
    if (url !== undefined && nowMs < keptUntilMs) {
      kept.delete(partNumber);
      return url;
    }
    if (!numbers.includes(partNumber)) return renew(partNumber);
    kept.clear();
    if (nowMs - requestedAtMs < QUICK_BATCH_MS) batch = Math.min(LARGEST_BATCH, 2 * batch);
    requestedAtMs = nowMs;
    const from = numbers.indexOf(partNumber);
    const { first, urls, expiresAtMs } = await request(numbers.slice(from, from + batch));
    // Half of their life: a slow PUT must begin well before its URL expires, and clocks differ.
    keptUntilMs = (settings.now() + expiresAtMs) / 2;
    for (const [number, other] of urls) if (number !== partNumber) kept.set(number, other);
    return first;
  };
  return {
    take(partNumber) {
      // One at a time: the others find their URLs in what the first one requested.
      const taken = turn.then(() => takeNow(partNumber));
      turn = taken.catch(() => undefined);
      return taken;
    },
    renew,
    forget: () => kept.clear(),
  };
}

function urlIn(
  { partNumber, sizeBytes, presignedUrl }: PartUrl,
  plan: PartsPlan,
  { requestId }: SendContext['options'],
): string {
  const isExpected =
    sizeBytes === partSize(plan, partNumber) &&
    URL.canParse(presignedUrl) &&
    /^https?:/i.test(presignedUrl);
  if (!isExpected) throw invalidAnswer({ requestId });
  return presignedUrl;
}

function invalidAnswer({ requestId }: { requestId: string }): StorageRoutingError {
  const message = 'POST /v1/upload/parts: the answer lacks what a part needs';
  return new StorageRoutingError({ code: 'invalid_response', message, requestId });
}
