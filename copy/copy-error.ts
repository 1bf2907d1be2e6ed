import { StoreError, type StoreFailure } from '../adapters/object-store/errors.ts';
import { FAILURE_REASONS, type ObjectFailure } from '../domain/migrations/object-ledger.ts';

export type CopySide = 'source' | 'target';

/** Why one attempt to copy an object failed. The message never quotes a store. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
  readonly code: ObjectFailure;
  /** Whether the same copy may succeed later. */
  readonly isTransient: boolean;
  readonly side: CopySide | null;
  /** The store's failure, if a store caused it. */
  readonly storeFailure?: StoreFailure;

  constructor(
    code: ObjectFailure,
    options: { isTransient: boolean; side: CopySide | null; cause?: unknown },
  ) {
    super(FAILURE_REASONS[code], { cause: options.cause });
    this.code = code;
    this.isTransient = options.isTransient;
    this.side = options.side;
    if (options.cause instanceof StoreError) this.storeFailure = options.cause.failure;
  }
}

/**
 * Classifies a store's failure for the object.
 *
 * | the store's failure                        | at the source           | at the target           |
 * | ------------------------------------------ | ----------------------- | ----------------------- |
 * | throttled, timed_out, unreachable,         | source_unavailable, yes | target_unavailable, yes |
 * | clock_skewed                               |                         |                         |
 * | access_denied, bucket_missing, wrong_region| source_refused, no      | target_refused, no      |
 * | changed                                    | source_changing, yes    | target_rejected, no     |
 * | missing                                    | source_missing, no      | target_differs, yes     |
 * | archived                                   | needs_restore, no       | target_rejected, no     |
 * | rejected                                   | source_refused, *       | target_rejected, *      |
 * | failed, transient                          | source_unavailable, yes | target_unavailable, yes |
 * | failed, not transient                      | source_unavailable, no  | target_rejected, no     |
 *
 * After the comma: whether it is transient; `*`: as the store's failure is.
 */
export function classifyCopyError(side: CopySide, cause: StoreError): CopyError {
  const isSource = side === 'source';
  const made = (code: ObjectFailure, isTransient = cause.isTransient) =>
    new CopyError(code, { isTransient, side, cause });
  switch (cause.failure) {
    case 'throttled':
    case 'timed_out':
    case 'unreachable':
    case 'clock_skewed':
      return made(isSource ? 'source_unavailable' : 'target_unavailable');
    case 'access_denied':
    case 'unsorted':
    case 'bucket_missing':
    case 'wrong_region':
      return made(isSource ? 'source_refused' : 'target_refused', false);
    case 'changed':
      return isSource ? made('source_changing', true) : made('target_rejected', false);
    case 'missing':
      return isSource ? made('source_missing', false) : made('target_differs', true);
    case 'archived':
      return made(isSource ? 'needs_restore' : 'target_rejected', false);
    case 'rejected':
      return made(isSource ? 'source_refused' : 'target_rejected');
    case 'failed':
      if (isSource) return made('source_unavailable');
      return made(cause.isTransient ? 'target_unavailable' : 'target_rejected');
  }
}

/** What Node refuses to send: a control character in the metadata of an object, for instance. */
const UNSENDABLE: ReadonlySet<unknown> = new Set(['ERR_INVALID_CHAR', 'ERR_UNESCAPED_CHARACTERS']);

function isUnsendable(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && UNSENDABLE.has(error.code);
}

/** Converts the failure of a store, or of a request that cannot be sent. @throws CopyError */
export async function withCopyErrors<Answer>(
  side: CopySide,
  work: Promise<Answer>,
): Promise<Answer> {
  try {
    return await work;
  } catch (error) {
    if (isUnsendable(error)) throw classifyCopyError(side, new StoreError('rejected', error));
    throw error instanceof StoreError ? classifyCopyError(side, error) : error;
  }
}
