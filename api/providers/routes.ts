import {
  listProviders,
  removeProvider,
  saveFormerPlace,
  saveProvider,
  testProvider,
  type ProviderDeps,
  type ProviderTestDeps,
} from '../../operations/providers/providers.ts';
import { presentCatalogue, presentListed, presentProvider } from './present.ts';
import { defineRoute, type Route } from '../http/route.ts';
import {
  ProviderCatalogue,
  ProviderList,
  ProviderParam,
  ProviderRequest,
  ProviderTestRequest,
  ProviderTestView,
  ProviderView,
} from './schemas.ts';
import { NoContent } from '../http/schemas.ts';

export function createProviderRoutes(deps: ProviderDeps & ProviderTestDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/providers',
      auth: 'dashboard',
      summary: 'Configure a store, or replace its credentials',
      description:
        'Saves bucket, region and keys of one store of the catalogue. The secret key is stored encrypted and never shown again. New keys and another bucket, region, account or jurisdiction are taken at any time: the place until then stays as a former one, with its keys, while a file, a connection or a migration needs it. With `place`, these are new keys of a former place.',
      body: ProviderRequest,
      replies: { 200: ProviderView },
      refusals: ['not_found', 'too_many_places', 'plan_limit'],
      async handle({ account, actor, body: { place, ...settings } }) {
        const save = place === 'former' ? saveFormerPlace : saveProvider;
        const saved = await save(deps, account, actor, settings);
        return { status: 200, body: presentProvider(saved) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/providers',
      auth: 'dashboard',
      summary: 'The configured stores',
      description:
        'Bucket, region and masked access key of each store of the account, and of its former places.',
      replies: { 200: ProviderList },
      refusals: [],
      async handle({ account }) {
        const listed = await listProviders(deps, account);
        return { status: 200, body: { items: listed.map((each) => presentListed(account, each)) } };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/providers/catalogue',
      auth: 'dashboard',
      summary: 'The stores that can be configured',
      description:
        'Every kind of store that the service knows, in the order in which ties are decided, and what `POST /v1/providers` needs for it. A client needs no list of its own.',
      replies: { 200: ProviderCatalogue },
      refusals: [],
      async handle() {
        return { status: 200, body: presentCatalogue(deps.catalogue) };
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/v1/providers/{provider}',
      auth: 'dashboard',
      summary: 'Forget a store and its credentials',
      description:
        'Removes the stored credentials, those of former places too. Nothing in the buckets changes. Refused while a pending file, a running migration or a connection uses one of its places.',
      params: ProviderParam,
      replies: { 204: NoContent },
      refusals: ['provider_in_use'],
      async handle({ account, actor, params: { provider } }) {
        await removeProvider(deps, account, actor, provider);
        return { status: 204 };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/providers/test',
      auth: 'dashboard',
      summary: 'Write, look at, read and delete a small object in a configured store',
      description:
        'Carries out each kind of call with the stored credentials and says which one the store refuses, and why. Then it measures what the store can do (the checks with `supported`) and keeps that with the provider. With `origin`, it also asks by a CORS preflight whether a page there may upload, and returns the rule to set if it may not.',
      body: ProviderTestRequest,
      replies: { 200: ProviderTestView },
      refusals: ['provider_not_configured'],
      mayTakeLong: () => true,
      async handle({ account, body }) {
        const checks = await testProvider(deps, account, body);
        const { provider } = body;
        return { status: 200, body: { provider, ok: checks.every(({ ok }) => ok), checks } };
      },
    }),
  ];
}
