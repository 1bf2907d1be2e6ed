import type { Account } from '../../domain/accounts/account.ts';
import { CHANGING_ROLES } from '../../domain/accounts/person.ts';
import {
  getAccountUsage,
  issueApiKey,
  listActivities,
  type AccountDeps,
} from '../../operations/accounts/accounts.ts';
import { presentActivity, presentApiKey, presentMe } from './present.ts';
import { defineRoute, type Route } from '../http/route.ts';
import {
  ActivityPage,
  ActivityQuery,
  ApiKeyView,
  MeView,
  NewApiKeyView,
  PersonView,
  RotationView,
} from './schemas.ts';
import { Empty } from '../http/schemas.ts';

export function createAccountRoutes(deps: AccountDeps): Route[] {
  const showAccount = async ({ account }: { readonly account: Account }) => ({
    status: 200 as const,
    body: presentMe(deps.catalogue, await getAccountUsage(deps, account)),
  });
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/me',
      auth: 'apiKey',
      summary: 'Who the key belongs to, and what the month has used',
      description:
        "The account, its plan, its stores, and what this month has used of the plan's quotas. A way to test an API key.",
      replies: { 200: MeView },
      refusals: [],
      handle: showAccount,
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/account',
      auth: 'dashboard',
      summary: 'The account and what the month has used, for a dashboard token',
      description:
        'The body of `GET /v1/me`, for a dashboard token: an account without an API key can read it too.',
      replies: { 200: MeView },
      refusals: [],
      handle: showAccount,
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/account/person',
      auth: 'dashboard',
      summary: 'Who the token belongs to, and whether that person may change anything',
      description: 'A person without one of the roles may read everything: other calls are 403.',
      replies: { 200: PersonView },
      refusals: [],
      handle: async ({ actor: { person }, mayChange }) => ({
        status: 200,
        body: { ...person, mayChange, changingRoles: [...CHANGING_ROLES] },
      }),
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/account/activity',
      auth: 'dashboard',
      summary: 'What the people of the account have changed, the newest first',
      description:
        'Who saved or deleted a store, issued or rotated the key, connected or disconnected a cloud account, scanned, approved, cancelled, dismissed a recommendation or opened a checkout. Kept for 400 days. Refused calls, and repeats that change nothing, are not in it.',
      query: ActivityQuery,
      replies: { 200: ActivityPage },
      refusals: [],
      async handle({ account, query: { limit, offset } }) {
        const { items, total } = await listActivities(deps, account, { limit, offset });
        return { status: 200, body: { items: items.map(presentActivity), total, limit, offset } };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/providers/api-key',
      auth: 'dashboard',
      summary: 'The API key, masked',
      description:
        'Shows which key is in force, without its secret part: the whole key is shown once, when it is issued.',
      replies: { 200: ApiKeyView },
      refusals: [],
      handle: async ({ account }) => ({ status: 200, body: presentApiKey(account.apiKey) }),
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/providers/api-key/regenerate',
      auth: 'dashboard',
      summary: 'Issue a new API key, or the first one',
      description:
        'The answer has the whole key, this once. A key that was issued before fails from now on.',
      body: Empty,
      replies: { 200: NewApiKeyView },
      refusals: [],
      async handle({ actor }) {
        const { key, createdAt } = await issueApiKey(deps, actor, 'key.issued');
        return { status: 200, body: { apiKey: key, createdAt: createdAt.toISOString() } };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/keys/rotate',
      auth: 'dashboard',
      summary: 'Replace the API key; the old one fails at once',
      description:
        'The answer has the whole new key, this once. The old one fails on every process of the service from now on; uploads under way continue with the new key.',
      body: Empty,
      replies: { 200: RotationView },
      refusals: [],
      async handle({ actor }) {
        const { key, createdAt } = await issueApiKey(deps, actor, 'key.rotated');
        return { status: 200, body: { newApiKey: key, rotatedAt: createdAt.toISOString() } };
      },
    }),
  ];
}
