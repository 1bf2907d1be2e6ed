import { hash, randomBytes } from 'node:crypto';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectHeaders } from '../../adapters/object-store/object-store.ts';
import type { StoreCapabilities } from '../../domain/providers/capabilities.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import { measured, type StoreCheck } from './store-check.ts';
import { writeInParts, type Trial } from './upload-trial.ts';

/** Writes and deletes below one folder, and what of it the store takes. */
interface FolderTrial extends Trial {
  /** Ends with `/`. */
  readonly folder: string;
}

type Capability = keyof StoreCapabilities;

const MEASURES: readonly {
  readonly name: StoreCheck['name'];
  readonly capability: Capability;
  readonly isSupported: (trial: FolderTrial) => Promise<boolean>;
}[] = [
  { name: 'conditional_put', capability: 'conditionalPut', isSupported: refusesOverwriting },
  { name: 'conditional_delete', capability: 'conditionalDelete', isSupported: refusesStaleDelete },
  { name: 'content_md5', capability: 'contentMd5', isSupported: refusesOtherBytes },
  { name: 'list_order', capability: 'listOrder', isSupported: listsInOrder },
  {
    name: 'conditional_overwrite',
    capability: 'conditionalOverwrite',
    isSupported: refusesStaleOverwriting,
  },
  {
    name: 'conditional_complete',
    capability: 'conditionalComplete',
    isSupported: refusesCompletingOver,
  },
  { name: 'key_and_folder', capability: 'keyAndFolder', isSupported: holdsKeyAndFolder },
  { name: 'object_lock', capability: 'objectLock', isSupported: demandsDigest },
];

/** A canary of the copies does not list. */
export const OF_COPIES: readonly Capability[] = MEASURES.map(({ capability }) => capability).filter(
  (capability) => capability !== 'listOrder',
);

/** The checks of a store that could not be measured, because an ordinary call has failed there. */
export function notMeasured({ error }: StoreCheck): readonly StoreCheck[] {
  return MEASURES.map(({ name }) => {
    return { name, ok: false, latencyMs: 0, supported: false, ...(error ? { error } : {}) };
  });
}

/**
 * Measures what a store can do, by doing it, all side by side: a header that the store refuses and
 * one that it ignores are both not supported. What it writes it deletes.
 */
export async function measureCapabilities(
  trial: FolderTrial,
  wanted: readonly Capability[] = MEASURES.map(({ capability }) => capability),
): Promise<{
  readonly checks: readonly StoreCheck[];
  /** Those that could be measured. */
  readonly capabilities: Partial<StoreCapabilities>;
}> {
  const measures = MEASURES.filter(({ capability }) => wanted.includes(capability));
  const checks = await Promise.all(
    measures.map(({ name, isSupported }) => measured(name, () => isSupported(trial))),
  );
  const supported = measures.flatMap(({ capability }, at) => {
    const check = checks[at];
    return check?.ok ? [[capability, check.supported === true]] : [];
  });
  return { checks, capabilities: Object.fromEntries(supported) };
}

const HEADERS = { 'content-type': 'application/octet-stream' };

/** With the MD5 of its bytes, which some stores demand, or another one; null: without. */
async function put(
  { store, options }: Trial,
  key: string,
  { headers, md5 }: { headers?: ObjectHeaders; md5?: Buffer | null } = {},
): Promise<void> {
  const body = randomBytes(16);
  const digest = md5 === null ? undefined : (md5 ?? hash('md5', body, 'buffer'));
  const request = { headers: { ...HEADERS, ...headers }, sizeBytes: body.length, body };
  await store.write(key, { ...request, md5: digest }, options);
}

async function refusesOverwriting(trial: FolderTrial): Promise<boolean> {
  const key = `${trial.folder}conditional-put`;
  return await withKeys(trial, [key], async () => {
    await put(trial, key);
    const headers = { 'if-none-match': '*' };
    return await isRefused(() => put(trial, key, { headers }), isPreconditionFailed);
  });
}

async function refusesStaleDelete(trial: FolderTrial): Promise<boolean> {
  const key = `${trial.folder}conditional-delete`;
  return await withKeys(trial, [key], async () => {
    await put(trial, key);
    const stale = { ...trial.options, ifMatch: '0'.repeat(32) };
    return await isRefused(() => trial.store.delete(key, stale), isPreconditionFailed);
  });
}

async function refusesStaleOverwriting(trial: FolderTrial): Promise<boolean> {
  const key = `${trial.folder}conditional-overwrite`;
  return await withKeys(trial, [key], async () => {
    await put(trial, key);
    const headers = { 'if-match': `"${'0'.repeat(32)}"` };
    return await isRefused(() => put(trial, key, { headers }), isPreconditionFailed);
  });
}

async function refusesCompletingOver(trial: FolderTrial): Promise<boolean> {
  const key = `${trial.folder}conditional-complete`;
  return await withKeys(trial, [key], async () => {
    await put(trial, key);
    const object = { headers: HEADERS, body: randomBytes(16) };
    return await isRefused(
      () => writeInParts(trial, key, object, { ifNoneMatch: '*' }),
      isPreconditionFailed,
    );
  });
}

/** A store on files refuses one of the two, or holds one of them only. */
async function holdsKeyAndFolder(trial: FolderTrial): Promise<boolean> {
  const keys = [`${trial.folder}key`, `${trial.folder}key/below`] as const;
  const { store, options } = trial;
  return await withKeys(trial, keys, async () => {
    await put(trial, keys[0]);
    if (await isRefused(() => put(trial, keys[1]), isOfRequest)) return false;
    const written = await Promise.all(keys.map((key) => store.head(key, options)));
    return written.every((object) => object !== undefined);
  });
}

/** A bucket with default Object Lock retention takes an upload with a digest only. */
async function demandsDigest(trial: FolderTrial): Promise<boolean> {
  const key = `${trial.folder}object-lock`;
  return await withKeys(trial, [key], async () => {
    if (!(await isRefused(() => put(trial, key, { md5: null }), isOfRequest))) return false;
    await put(trial, key);
    return true;
  });
}

async function refusesOtherBytes(trial: FolderTrial): Promise<boolean> {
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

async function listsInOrder(trial: FolderTrial): Promise<boolean> {
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

/** Under status 200 a completion may answer the code only. */
function isPreconditionFailed({ status, code }: Refusal): boolean {
  return status === 412 || code === 'PreconditionFailed';
}

/** The store does not take the request. Credentials, place and load are other reasons. */
function isOfRequest({ status }: Refusal): boolean {
  return (
    status === 501 || (status >= 400 && status < 500 && ![401, 403, 404, 429].includes(status))
  );
}

/**
 * Whether the store refuses a request for the reason that is meant. Another refusal means that it
 * does not take the header.
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
    if (isOfRequest(error.refusal)) return false;
    throw error;
  }
}
