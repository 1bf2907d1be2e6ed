import { randomBytes } from 'node:crypto';
import type { CallOptions } from '../../adapters/object-store/call-bounds.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectHeaders, ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { StoreCapabilities } from '../../domain/provider/capabilities.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import { measured, type StoreCheck } from './store-check.ts';

/** Writes and deletes below one folder, and what of it the store takes. */
interface Trial {
  readonly store: ObjectStore;
  /** Ends with `/`. */
  readonly folder: string;
  readonly options: CallOptions;
}

type Capability = keyof StoreCapabilities;

const MEASURES: readonly {
  readonly name: StoreCheck['name'];
  readonly capability: Capability;
  readonly isSupported: (trial: Trial) => Promise<boolean>;
}[] = [
  { name: 'conditional_put', capability: 'conditionalPut', isSupported: refusesOverwriting },
  { name: 'conditional_delete', capability: 'conditionalDelete', isSupported: refusesStaleDelete },
  { name: 'content_md5', capability: 'contentMd5', isSupported: refusesOtherBytes },
  { name: 'list_order', capability: 'listOrder', isSupported: listsInOrder },
];

/** A canary of the copies does not list. */
export const OF_COPIES: readonly Capability[] = [
  'conditionalPut',
  'conditionalDelete',
  'contentMd5',
];

/** The checks of a store that could not be measured, because an ordinary call has failed there. */
export function notMeasured({ error }: StoreCheck): readonly StoreCheck[] {
  return MEASURES.map(({ name }) => {
    return { name, ok: false, latencyMs: 0, supported: false, ...(error ? { error } : {}) };
  });
}

/**
 * Measures what a store can do, by doing it: a header that the store refuses and one that it ignores are both not
 * supported. What it writes it deletes.
 */
export async function measureCapabilities(
  trial: Trial,
  wanted: readonly Capability[] = MEASURES.map(({ capability }) => capability),
): Promise<{
  readonly checks: readonly StoreCheck[];
  /** Undefined if a measurement could not be made. */
  readonly capabilities: Partial<StoreCapabilities> | undefined;
}> {
  const checks: StoreCheck[] = [];
  const found: Partial<Record<Capability, boolean>> = {};
  for (const { name, capability, isSupported } of MEASURES) {
    if (!wanted.includes(capability)) continue;
    const check = await measured(name, () => isSupported(trial));
    checks.push(check);
    found[capability] = check.supported ?? false;
  }
  return { checks, capabilities: checks.every(({ ok }) => ok) ? found : undefined };
}

const HEADERS = { 'content-type': 'application/octet-stream' };

function put(
  { store, options }: Trial,
  key: string,
  { headers, md5 }: { headers?: ObjectHeaders; md5?: Buffer } = {},
): Promise<string> {
  const body = randomBytes(16);
  const request = { headers: { ...HEADERS, ...headers }, sizeBytes: body.length, body, md5 };
  return store.write(key, request, options);
}

async function refusesOverwriting(trial: Trial): Promise<boolean> {
  const key = `${trial.folder}conditional-put`;
  return await withKeys(trial, [key], async () => {
    await put(trial, key);
    const headers = { 'if-none-match': '*' };
    return await isRefused(() => put(trial, key, { headers }), isPreconditionFailed);
  });
}

async function refusesStaleDelete(trial: Trial): Promise<boolean> {
  const key = `${trial.folder}conditional-delete`;
  return await withKeys(trial, [key], async () => {
    await put(trial, key);
    const stale = { ...trial.options, ifMatch: '0'.repeat(32) };
    return await isRefused(() => trial.store.delete(key, stale), isPreconditionFailed);
  });
}

async function refusesOtherBytes(trial: Trial): Promise<boolean> {
  const key = `${trial.folder}content-md5`;
  return await withKeys(trial, [key], () =>
    isRefused(
      () => put(trial, key, { md5: Buffer.alloc(16) }),
      ({ code }) => code === 'BadDigest' || code === 'InvalidDigest',
    ),
  );
}

/** In the order of their UTF-8 bytes, which is neither that of UTF-16 nor one that ignores case. */
const NAMES = ['B', 'Z', 'a', 'aa', 'b', 'é', '\uFFFD', '\u{1F600}'];

async function listsInOrder(trial: Trial): Promise<boolean> {
  const prefix = `${trial.folder}list-order/`;
  const keys = NAMES.map((name) => `${prefix}${name}`);
  return await withKeys(trial, keys, async () => {
    await Promise.all(keys.map((key) => put(trial, key)));
    try {
      const { entries } = await trial.store.list({ prefix, after: null }, trial.options);
      return entries.every(
        ({ key }, at) => at === 0 || compareKeys(entries[at - 1]?.key ?? '', key) < 0,
      );
    } catch (error) {
      if (error instanceof StoreError && error.failure === 'unsorted') return false;
      throw error;
    }
  });
}

/** Deletes afterwards what the work may have written. */
async function withKeys<T>(
  { store, options }: Trial,
  keys: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } finally {
    await Promise.all(keys.map((key) => store.delete(key, options).catch(() => undefined)));
  }
}

type Refusal = NonNullable<StoreError['refusal']>;

function isPreconditionFailed({ status }: Refusal): boolean {
  return status === 412;
}

/**
 * Whether the store refuses a request for the reason that is meant. Another refusal means that it does not take the
 * header.
 *
 * @throws StoreError if the store is not available, or does not permit the request at all
 */
async function isRefused(
  request: () => Promise<unknown>,
  isMeant: (refusal: Refusal) => boolean,
): Promise<boolean> {
  try {
    await request();
    return false;
  } catch (error) {
    if (!(error instanceof StoreError) || !error.refusal) throw error;
    if (isMeant(error.refusal)) return true;
    const { status } = error.refusal;
    const isOfHeader =
      status === 501 || (status >= 400 && status < 500 && ![401, 403, 404, 429].includes(status));
    if (isOfHeader) return false;
    throw error;
  }
}
