import { createMethods, dashboard } from '../http/methods.ts';
import type { CallOptions, Transport } from '../http/transport.ts';
import type {
  Api,
  Provider,
  ProviderDescription,
  ProviderInfo,
  SavedProvider,
  ProviderTest,
} from '../http/api-types.ts';

/** The credentials and bucket of a store; `catalogue` says which fields a store takes. */
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
  /** May a page at this origin upload to the store: `https://app.example.com`. */
  origin?: string | undefined;
}

/** Save replaces, delete succeeds for a missing store, a test leaves no objects. */
export const providerRoutes = {
  save: dashboard('POST', '/v1/providers'),
  list: dashboard('GET', '/v1/providers'),
  catalogue: dashboard('GET', '/v1/providers/catalogue'),
  delete: dashboard('DELETE', '/v1/providers/{provider}'),
  test: dashboard('POST', '/v1/providers/test'),
} as const;

/** Your stores. */
export interface Providers {
  /** With `place: 'former'` the keys are those of a former place, which `list` names. */
  save(request: SaveProviderRequest, options?: CallOptions): Promise<SavedProvider>;
  /** The stores that the service knows, and what `save` needs for each. */
  catalogue(options?: CallOptions): Promise<{ items: ProviderDescription[] }>;
  list(options?: CallOptions): Promise<{ items: ProviderInfo[] }>;
  /** Succeeds also if the store is not configured. */
  delete(provider: Provider, options?: CallOptions): Promise<void>;
  /** The result of each operation. A failing store is an answer, not an error. */
  test(provider: Provider, options?: ProviderTestOptions): Promise<ProviderTest>;
}

export function createProviders(transport: Transport): Providers {
  const { plain, remove, withBody } = createMethods(transport);
  const test = withBody(providerRoutes.test);
  return {
    save: withBody(providerRoutes.save),
    catalogue: plain(providerRoutes.catalogue),
    list: plain(providerRoutes.list),
    delete: remove(providerRoutes.delete),
    test: (provider, { origin, ...options } = {}) => test({ provider, origin }, options),
  };
}
