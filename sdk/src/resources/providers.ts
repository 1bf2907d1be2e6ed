import type { CallOptions, Route, Transport } from '../http/transport.ts';
import type {
  Api,
  Provider,
  ProviderDescription,
  ProviderInfo,
  SavedProvider,
  ProviderTest,
} from '../http/api-types.ts';

/** The credentials and bucket of one of your stores; `catalogue` says which fields a store takes. */
export type SaveProviderRequest = Api['POST /v1/providers']['input'];
export type Jurisdiction = NonNullable<SaveProviderRequest['jurisdiction']>;

/** The region of a store that has only one, such as `auto`; otherwise undefined. */
export function onlyRegion({
  regionPattern,
  regionExample,
}: ProviderDescription): string | undefined {
  return regionPattern === `^${regionExample}$` ? regionExample : undefined;
}

/** What a test asks for besides the four operations. */
export interface ProviderTestOptions extends CallOptions {
  /** May a page at this origin upload to the store: `https://app.example.com`, `http://localhost:3000`. */
  origin?: string | undefined;
}

/** Save replaces, delete succeeds for a missing store, and a test leaves no objects: all may be repeated. */
export const providerRoutes = {
  save: { method: 'POST', path: '/v1/providers', auth: 'dashboard' },
  list: { method: 'GET', path: '/v1/providers', auth: 'dashboard' },
  catalogue: { method: 'GET', path: '/v1/providers/catalogue', auth: 'dashboard' },
  delete: { method: 'DELETE', path: '/v1/providers/{provider}', auth: 'dashboard' },
  test: { method: 'POST', path: '/v1/providers/test', auth: 'dashboard' },
} as const satisfies Record<string, Route>;

/** Your stores. */
export interface Providers {
  /** Creates or replaces. With `place: 'former'` the keys are those of a former place, which `list` names. */
  save(request: SaveProviderRequest, options?: CallOptions): Promise<SavedProvider>;
  /** The stores that the service knows, and what `save` needs for each. */
  catalogue(options?: CallOptions): Promise<{ items: ProviderDescription[] }>;
  list(options?: CallOptions): Promise<{ items: ProviderInfo[] }>;
  /** Succeeds also if the store is not configured. */
  delete(provider: Provider, options?: CallOptions): Promise<void>;
  /** The result of each operation with the stored credentials. A failing store is an answer, not an error. */
  test(provider: Provider, options?: ProviderTestOptions): Promise<ProviderTest>;
}

export function createProviders(transport: Transport): Providers {
  return {
    save: (request, options = {}) =>
      transport.call(providerRoutes.save, { ...options, body: request }),
    catalogue: (options = {}) => transport.call(providerRoutes.catalogue, options),
    list: (options = {}) => transport.call(providerRoutes.list, options),
    async delete(provider, options = {}) {
      await transport.call(providerRoutes.delete, { ...options, parameters: { provider } });
    },
    test: (provider, { origin, ...options } = {}) =>
      transport.call(providerRoutes.test, {
        ...options,
        body: { provider, origin },
      }),
  };
}
