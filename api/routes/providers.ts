import {
  listProviders,
  removeProvider,
  saveProvider,
  testProvider,
  type ProviderDeps,
} from '../operations/providers.ts';
import { presentProvider } from '../present/account.ts';
import { defineRoute, type Route } from './route.ts';
import {
  ProviderList,
  ProviderParam,
  ProviderRequest,
  ProviderTestRequest,
  ProviderTestView,
  ProviderView,
} from '../schemas/account.ts';
import { NoContent } from '../schemas/common.ts';

export function createProviderRoutes(deps: ProviderDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/providers',
      auth: 'dashboard',
      summary: 'Configure a store, or replace its credentials',
      body: ProviderRequest,
      replies: { 200: ProviderView },
      refusals: ['provider_in_use', 'plan_limit'],
      async handle({ account, body }) {
        return { status: 200, body: presentProvider(await saveProvider(deps, account, body)) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/providers',
      auth: 'dashboard',
      summary: 'The configured stores',
      replies: { 200: ProviderList },
      refusals: [],
      async handle({ account }) {
        return { status: 200, body: { items: listProviders(account).map(presentProvider) } };
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/v1/providers/{provider}',
      auth: 'dashboard',
      summary: 'Forget a store and its credentials',
      params: ProviderParam,
      replies: { 204: NoContent },
      refusals: ['provider_in_use'],
      async handle({ account, params: { provider } }) {
        await removeProvider(deps, account, provider);
        return { status: 204 };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/providers/test',
      auth: 'dashboard',
      summary: 'Write, look at, read and delete a small object in a configured store',
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
