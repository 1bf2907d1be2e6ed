import type { CallOptions, Route, Transport } from '../http/transport.ts';
import type { Provider } from './files.ts';

interface StoreAccess {
  accessKeyId: string;
  /** Never returned by the service. */
  secretAccessKey: string;
  bucketName: string;
}

/** The territories that an `r2` bucket can be bound to. */
export const JURISDICTIONS = ['eu', 'fedramp'] as const;
export type Jurisdiction = (typeof JURISDICTIONS)[number];

/** The credentials and bucket of one of your stores. */
export type SaveProviderRequest =
  | (StoreAccess & { provider: 'aws' | 'b2'; region: string })
  | (StoreAccess & {
      provider: 'r2';
      region: 'auto';
      accountId: string;
      /** Only for a bucket that was created in one. */
      jurisdiction?: Jurisdiction;
    });

/** A configured store. Times are RFC 3339. */
export interface ProviderInfo {
  provider: Provider;
  bucketName: string;
  region: string;
  /** Only for `r2`. */
  accountId?: string;
  /** Only for an `r2` bucket that is bound to one. */
  jurisdiction?: Jurisdiction;
  accessKeyIdMasked: string;
  createdAt: string;
  updatedAt: string;
}

/** The result of each operation with the stored credentials. A failing store is an answer, not an error. */
export interface ProviderTest {
  provider: Provider;
  ok: boolean;
  checks: {
    /** `cors` only where the test was asked about an origin. */
    name: 'write' | 'head' | 'read' | 'delete' | 'cors';
    ok: boolean;
    latencyMs: number;
    error?: { code: string; message: string } | null;
    /** Of a failed `cors`: the rules that let the origin upload, in the format of the store. */
    corsRule?: Record<string, unknown>[];
  }[];
}

/** What a test asks for beside the four operations. */
export interface ProviderTestOptions extends CallOptions {
  /** May a page at this origin upload to the store: `https://app.example.com`, `http://localhost:3000`. */
  origin?: string;
}

/** Save replaces, delete succeeds for a missing store, and a test leaves no objects: all may be repeated. */
export const providerRoutes = {
  save: { method: 'POST', path: '/v1/providers', auth: 'dashboard', repeat: 'safe' },
  list: { method: 'GET', path: '/v1/providers', auth: 'dashboard', repeat: 'safe' },
  delete: { method: 'DELETE', path: '/v1/providers/{provider}', auth: 'dashboard', repeat: 'safe' },
  test: { method: 'POST', path: '/v1/providers/test', auth: 'dashboard', repeat: 'safe' },
} as const satisfies Record<string, Route>;

/** Your stores. */
export interface Providers {
  /** Creates or replaces. */
  save(request: SaveProviderRequest, options?: CallOptions): Promise<ProviderInfo>;
  list(options?: CallOptions): Promise<{ items: ProviderInfo[] }>;
  /** Succeeds also where the store is not configured. */
  delete(provider: Provider, options?: CallOptions): Promise<void>;
  test(provider: Provider, options?: ProviderTestOptions): Promise<ProviderTest>;
}

export function createProviders(transport: Transport): Providers {
  return {
    save: (request, options = {}) =>
      transport.call(providerRoutes.save, { ...options, body: request }),
    list: (options = {}) => transport.call(providerRoutes.list, options),
    async delete(provider, options = {}) {
      await transport.call(providerRoutes.delete, { ...options, parameters: { provider } });
    },
    test: (provider, { origin, ...options } = {}) =>
      transport.call(providerRoutes.test, {
        ...options,
        body: { provider, ...(origin === undefined ? {} : { origin }) },
      }),
  };
}
