import assert from 'node:assert/strict';
import {
  createClient,
  type CompleteResult,
  type FileInfo,
  type Me,
  type StorageRoutingClient,
} from '../../sdk/src/index.ts';
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
export interface Tenant {
  dashboard(): string;
  /** The account's API key, issued on first use. */
  key(): Promise<string>;
  /** Sets the account's current key; undefined issues a new one on the next call. */
  useKey(key: string | undefined): void;
  client(): Promise<StorageRoutingClient>;
  /** Configures exactly these stores, with valid credentials. */
  configure(...providers: readonly Provider[]): Promise<void>;
  save(store: object): Promise<Answer>;
  announce(announcement: Announcement): Promise<Answer>;
  /** Creates a pending file: `announce` with default values. */
  start(announcement?: Announcement): Promise<Started>;
  /** Creates a pending file that is uploaded in parts. */
  startParts(announcement?: Announcement): Promise<StartedParts>;
  /** Creates an active file: announces it, sends its bytes, and completes it. */
  active(bytes: Buffer, announcement?: Announcement): Promise<Started>;
  parts(fileId: string, partNumbers: readonly unknown[]): Promise<Answer>;
  listParts(fileId: string, query?: string): Promise<Answer>;
  url(fileId: string): Promise<Answer>;
  complete(fileId: string): Promise<Answer>;
  completed(fileId: string): Promise<CompleteResult>;
  get(fileId: string): Promise<Answer>;
  file(fileId: string): Promise<FileInfo>;
  delete(fileId: string): Promise<Answer>;
  me(): Promise<Me>;
  usage(): Promise<Usage>;
  /** Deletes every created file, so that the next test may change the stores. */
  clear(): Promise<void>;
}

export const one = createTenant('one');
export const other = createTenant('other');

function createTenant(which: 'one' | 'other'): Tenant {
  const started = new Set<string>();
  let key: string | undefined;

  const dashboard = () => dashboardToken(which);
  const asKey = async () => {
    if (key === undefined) {
      const path = '/v1/providers/api-key/regenerate';
      const issued = bodyOf(await call('POST', path, { token: dashboard() }), 200);
      key = (issued as { apiKey: string }).apiKey;
    }
    return key;
  };

  const tenant: Tenant = {
    dashboard,
    key: asKey,
    useKey: (next) => void (key = next),
    client: async () =>
      createClient({
        baseUrl: baseUrl().href,
        apiKey: await asKey(),
        dashboardToken: dashboard(),
        maxRetries: 0,
        fetch: describedFetch,
      }),

    async configure(...providers) {
      for (const provider of providers) requireSaved(await tenant.save(storeAccess(provider)));
      for (const provider of PROVIDERS.filter((name) => !providers.includes(name))) {
        const answer = await call('DELETE', `/v1/providers/${provider}`, { token: dashboard() });
        assert.equal(
          answer.status,
          204,
          `${provider} cannot be removed from the account (${which}); does a file of an earlier run still wait? ${answer.text}`,
        );
      }
    },

    save: (store) => call('POST', '/v1/providers', { token: dashboard(), json: store }),

    async announce(announcement) {
      const answer = await call('POST', '/v1/upload/init', {
        token: await asKey(),
        json: announcement,
      });
      if (answer.status === 201) started.add((answer.json() as Started).fileId);
      return answer;
    },

    async start(announcement = {}) {
      const fileName = `${crypto.randomUUID()}.bin`;
      const contentType = 'application/octet-stream';
      const complete = { fileName, contentType, fileSizeBytes: 11, ...announcement };
      return bodyOf(await tenant.announce(complete), 201) as Started;
    },

    async startParts(announcement = {}) {
      return (await tenant.start({ ...announcement, multipart: true })) as unknown as StartedParts;
    },

    async active(bytes, announcement = {}) {
      const file = await tenant.start({ ...announcement, fileSizeBytes: bytes.length });
      await putAsTold(file, bytes);
      await tenant.completed(file.fileId);
      return file;
    },

    parts: async (fileId, partNumbers) =>
      call('POST', '/v1/upload/parts', { token: await asKey(), json: { fileId, partNumbers } }),
    listParts: async (fileId, query = '') =>
      call('GET', `/v1/upload/parts/${fileId}${query}`, { token: await asKey() }),

    url: async (fileId) =>
      call('POST', '/v1/upload/url', { token: await asKey(), json: { fileId } }),
    complete: async (fileId) =>
      call('POST', '/v1/upload/complete', { token: await asKey(), json: { fileId } }),
    completed: async (fileId) => bodyOf(await tenant.complete(fileId), 200) as CompleteResult,
    get: async (fileId) => call('GET', `/v1/file/${fileId}`, { token: await asKey() }),
    file: async (fileId) => bodyOf(await tenant.get(fileId), 200) as FileInfo,
    delete: async (fileId) => call('DELETE', `/v1/file/${fileId}`, { token: await asKey() }),
    me: async () => bodyOf(await call('GET', '/v1/me', { token: await asKey() }), 200) as Me,

    async usage() {
      const { usage } = await tenant.me();
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
        for (const fileId of files)
          await eventually(async () => bodyOf(await tenant.delete(fileId), 200));
      };
      await Promise.all(Array.from({ length: CLEARED_AT_ONCE }, deleteSome));
    },
  };
  return tenant;
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

/** The usage that calls without effect add. */
export const NOTHING: Usage = { routedBytes: 0, uploads: 0, bookedBytes: 0, uploadsBooked: 0 };

/** The difference between two usage readings. */
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

/** The store with an invalid secret. */
export function wrongSecret(provider: Provider): StoreAccess {
  return { ...storeAccess(provider), secretAccessKey: `not-the-secret-${crypto.randomUUID()}` };
}
