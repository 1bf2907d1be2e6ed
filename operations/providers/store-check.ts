import { hash, randomBytes } from 'node:crypto';
import { lacking, uploadFrom, type CorsRules } from '../../domain/providers/cors.ts';
import {
  isOfCredentials,
  StoreError,
  type StoreFailure,
} from '../../adapters/object-store/errors.ts';
import type { CallOptions } from '../../adapters/object-store/call-bounds.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';

export const CHECK_NAMES = [
  'write',
  'head',
  'read',
  'delete',
  'missing_object',
  'conditional_put',
  'conditional_delete',
  'content_md5',
  'list_order',
  'conditional_overwrite',
  'conditional_complete',
  'key_and_folder',
  'object_lock',
  'cors',
] as const;
type CheckName = (typeof CHECK_NAMES)[number];

export interface StoreCheck {
  readonly name: CheckName;
  readonly ok: boolean;
  readonly latencyMs: number;
  /** Whether the store has the capability that was measured. */
  readonly supported?: boolean;
  /** Why it failed: a code, and a message for the customer. */
  readonly error?: { readonly code: StoreFailure | CheckFailure; readonly message: string };
  /** The rules to set at the store, if its CORS check failed. */
  readonly corsRule?: CorsRules;
}

type CheckFailure = 'wrong_answer' | 'access_denied' | 'cors_refused';

const CANARY_BYTES = 64;

/**
 * Writes a small object, gets its size, reads it back and deletes it; runs all four in any case.
 * Then it looks for what was deleted, which shows something only where all of that has worked. The
 * write has a digest, which a bucket with default Object Lock retention demands.
 *
 * @param listing the permission without which the store answers 403 for a missing object
 */
export async function checkStore(
  store: ObjectStore,
  key: string,
  options: CallOptions,
  listing: string,
): Promise<StoreCheck[]> {
  const canary = randomBytes(CANARY_BYTES);
  const headers = { 'content-type': 'application/octet-stream' };
  const md5 = hash('md5', canary, 'buffer');
  const body = { headers, sizeBytes: CANARY_BYTES, md5, body: canary };
  const checks = [
    await check('write', async () => void (await store.write(key, body, options))),
    await check('head', async () => {
      const shown = await store.head(key, options);
      if (shown?.sizeBytes !== canary.length)
        throw new WrongAnswerError('the object that was written is not there');
    }),
    await check('read', async () => {
      const read = await store.get(key, options);
      if (!read?.equals(canary))
        throw new WrongAnswerError('other bytes came back than were written');
    }),
    await check('delete', () => store.delete(key, options)),
  ];
  const failed = checks.find(({ ok }) => !ok);
  const missing = failed
    ? { ...failed, name: 'missing_object' as const, latencyMs: 0 }
    : await check('missing_object', () => requireMissing(store, key, options, listing));
  return [...checks, missing];
}

async function requireMissing(
  store: ObjectStore,
  key: string,
  options: CallOptions,
  listing: string,
): Promise<void> {
  const shown = await store
    .head(key, { ...options, throwsDenied: true })
    .catch((error: unknown) => {
      if (!(error instanceof StoreError) || error.failure !== 'access_denied') throw error;
      if (isOfCredentials(error.refusal?.code)) throw error;
      throw new WrongAnswerError(
        `it refused to say that an object is missing: the permission ${listing} is lacking`,
        'access_denied',
      );
    });
  if (shown) throw new WrongAnswerError('the object that was deleted is still there');
}

/** Asks whether a page at the origin may upload; if it may not, the check has `corsRule`. */
export async function checkCors(
  store: ObjectStore,
  key: string,
  page: { readonly origin: string; readonly corsRules: CorsRules },
  options: CallOptions,
): Promise<StoreCheck> {
  const request = uploadFrom(page.origin);
  const checked = await check('cors', async () => {
    const lacks = lacking(request, await store.preflight(key, request, options));
    if (lacks.length > 0)
      throw new WrongAnswerError(
        `a browser would not send an upload from this origin: ${lacks.join(', ')}`,
        'cors_refused',
      );
  });
  return checked.ok ? checked : { ...checked, corsRule: page.corsRules };
}

class WrongAnswerError extends Error {
  readonly code: CheckFailure;

  constructor(message: string, code: CheckFailure = 'wrong_answer') {
    super(message);
    this.code = code;
  }
}

/** A check of what a store can do. */
export async function measured(
  name: CheckName,
  isSupported: () => Promise<boolean>,
): Promise<StoreCheck> {
  let supported = false;
  const made = await check(name, async () => {
    supported = await isSupported();
  });
  return { ...made, supported };
}

async function check(name: CheckName, work: () => Promise<void>): Promise<StoreCheck> {
  const startedAt = performance.now();
  const latencyMs = () => Math.round(performance.now() - startedAt);
  try {
    await work();
    return { name, ok: true, latencyMs: latencyMs() };
  } catch (error) {
    if (!(error instanceof StoreError || error instanceof WrongAnswerError)) throw error;
    const code = error instanceof StoreError ? error.failure : error.code;
    return { name, ok: false, latencyMs: latencyMs(), error: { code, message: error.message } };
  }
}
