import assert from 'node:assert/strict';
import { createClient, type CompleteResult, type FileInfo, type Me } from '../../sdk/src/index.ts';
import { describedFetch } from './described.ts';
import { eventually } from './eventually.ts';
import { putAsTold, type Started, type StartedParts } from './store.ts';
import {
  baseUrl,
  dashboardToken,
  PROVIDERS,
  storeAccess,
  type Provider,
  type StoreAccess,
} from './target.ts';
import { bodyOf, call, type Answer } from './wire.ts';

const CLEARED_AT_ONCE = 6;

type AnnouncedField =
  'fileName' | 'contentType' | 'fileSizeBytes' | 'priority' | 'multipart' | 'contentMd5';
type Announcement = { readonly [Field in AnnouncedField]?: unknown };

/** This month's usage of an account, in whole bytes and uploads. */
export interface Usage {
  readonly routedBytes: number;
  readonly uploads: number;
  readonly bookedBytes: number;
  readonly uploadsBooked: number;
}

/** One account and its test operations. It records the created files, to delete them at the end. */
export type Tenant = ReturnType<typeof createTenant>;

export const one = createTenant('one');
export const other = createTenant('other');

function createTenant(which: 'one' | 'other') {
  const started = new Set<string>();
  let current: string | undefined;

  const dashboard = () => dashboardToken(which);
  /** The account's API key, issued on first use. */
  const key = async () => {
    if (current === undefined) {
      const path = '/v1/providers/api-key/regenerate';
      const issued = bodyOf(await call('POST', path, { token: dashboard() }), 200);
      current = (issued as { apiKey: string }).apiKey;
    }
    return current;
  };
  const ask = async (method: string, path: string, json?: object) =>
    await call(method, path, { token: await key(), ...(json && { json }) });
  const save = (store: object) =>
    call('POST', '/v1/providers', { token: dashboard(), json: store });
  const announce = async (announcement: Announcement) => {
    const answer = await ask('POST', '/v1/upload/init', announcement);
    if (answer.status === 201) started.add((answer.json() as Started).fileId);
    return answer;
  };
  /** Creates a pending file: `announce` with default values. */
  const start = async (announcement: Announcement = {}) => {
    const fileName = `${crypto.randomUUID()}.bin`;
    const contentType = 'application/octet-stream';
    const complete = { fileName, contentType, fileSizeBytes: 11, ...announcement };
    return bodyOf(await announce(complete), 201) as Started;
  };
  const complete = (fileId: string) => ask('POST', '/v1/upload/complete', { fileId });
  const completed = async (fileId: string) => bodyOf(await complete(fileId), 200) as CompleteResult;
  const get = (fileId: string) => ask('GET', `/v1/file/${fileId}`);
  const remove = (fileId: string) => ask('DELETE', `/v1/file/${fileId}`);
  const me = async () => bodyOf(await ask('GET', '/v1/me'), 200) as Me;

  return {
    dashboard,
    key,
    save,
    announce,
    start,
    complete,
    completed,
    get,
    delete: remove,
    me,
    /** Sets the account's current key; undefined issues a new one on the next call. */
    useKey: (next: string | undefined) => void (current = next),
    client: async () =>
      createClient({
        baseUrl: baseUrl().href,
        apiKey: await key(),
        dashboardToken: dashboard(),
        maxRetries: 0,
        fetch: describedFetch,
      }),
    async configure(...providers: readonly Provider[]) {
      for (const provider of providers) requireSaved(await save(storeAccess(provider)));
      for (const provider of PROVIDERS.filter((name) => !providers.includes(name))) {
        const answer = await call('DELETE', `/v1/providers/${provider}`, { token: dashboard() });
        const why = `${provider} cannot be removed from the account (${which}); does a file of an earlier run still wait?`;
        assert.equal(answer.status, 204, `${why} ${answer.text}`);
      }
    },
    startParts: async (announcement: Announcement = {}) =>
      (await start({ ...announcement, multipart: true })) as unknown as StartedParts,
    /** Creates an active file: announces it, sends its bytes, and completes it. */
    async active(bytes: Buffer, announcement: Announcement = {}) {
      const file = await start({ ...announcement, fileSizeBytes: bytes.length });
      await putAsTold(file, bytes);
      await completed(file.fileId);
      return file;
    },
    parts: (fileId: string, partNumbers: readonly unknown[]) =>
      ask('POST', '/v1/upload/parts', { fileId, partNumbers }),
    listParts: (fileId: string, query = '') => ask('GET', `/v1/upload/parts/${fileId}${query}`),
    url: (fileId: string) => ask('POST', '/v1/upload/url', { fileId }),
    file: async (fileId: string) => bodyOf(await get(fileId), 200) as FileInfo,
    async usage(): Promise<Usage> {
      const { usage } = await me();
      return {
        routedBytes: Math.round(usage.gbRouted * 1e9),
        uploads: usage.uploads,
        bookedBytes: Math.round(usage.gbBooked * 1e9),
        uploadsBooked: usage.uploadsBooked,
      };
    },
    async clear() {
      const files = [...started].values();
      started.clear();
      const deleteSome = async () => {
        for (const fileId of files) await eventually(async () => bodyOf(await remove(fileId), 200));
      };
      await Promise.all(Array.from({ length: CLEARED_AT_ONCE }, deleteSome));
    },
  };
}

function requireSaved(answer: Answer): void {
  assert.equal(
    answer.status,
    200,
    answer.status === 402
      ? `These tests need a plan with three providers. ${answer.text}`
      : `a store could not be configured: ${answer.text}`,
  );
}

export const NOTHING: Usage = { routedBytes: 0, uploads: 0, bookedBytes: 0, uploadsBooked: 0 };

export function difference(before: Usage, after: Usage): Usage {
  const names = Object.keys(NOTHING) as (keyof Usage)[];
  return Object.fromEntries(
    names.map((name) => [name, after[name] - before[name]]),
  ) as unknown as Usage;
}

/** Configures the stores of a test file before it, and deletes its files after it. */
export function withStores(tenant: Tenant, ...providers: readonly Provider[]): void {
  before(() => tenant.configure(...providers));
  after(async () => {
    await tenant.clear();
  });
}

export function wrongSecret(provider: Provider): StoreAccess {
  return { ...storeAccess(provider), secretAccessKey: `not-the-secret-${crypto.randomUUID()}` };
}
