import { randomUUID } from 'node:crypto';
import { formatApiKey, storeApiKey, type KeyMode } from '../../domain/api-key.ts';
import type { Account } from '../../domain/account.ts';
import type { Plans } from '../../domain/plan.ts';
import { totalRouted } from '../../domain/usage-totals.ts';
import { monthOf } from '../../domain/time.ts';
import type { Accounts } from '../../adapters/mongo/accounts.ts';
import type { Quota } from '../../adapters/mongo/quota.ts';
import type { Tallies } from '../../adapters/mongo/tallies.ts';
import { presentApiKey, presentMe } from '../present/account.ts';
import { defineRoute, type Route } from '../route.ts';
import { ApiKeyView, Empty, MeView, NewApiKeyView, RotationView } from '../schemas.ts';

export interface AccountRoutesDeps {
  readonly accounts: Accounts;
  readonly quota: Quota;
  readonly tallies: Tallies;
  readonly plans: Plans;
  readonly keyMode: KeyMode;
  readonly now: () => Date;
}

export function createAccountRoutes({
  accounts,
  quota,
  tallies,
  plans,
  keyMode,
  now,
}: AccountRoutesDeps): Route[] {
  /** A new key in one write; the one before it is worthless from then on. */
  async function issueKey({ accountId }: Account): Promise<{ key: string; createdAt: string }> {
    const key = formatApiKey(keyMode, randomUUID());
    const createdAt = now();
    await accounts.setApiKey(accountId, storeApiKey(key, createdAt));
    return { key, createdAt: createdAt.toISOString() };
  }

  return [
    defineRoute({
      method: 'GET',
      path: '/v1/me',
      auth: 'apiKey',
      summary: 'Who the key belongs to, and what the month has used',
      replies: { 200: MeView },
      refusals: [],
      async handle({ account }) {
        const month = monthOf(now());
        const [booked, sums] = await Promise.all([
          quota.read({ accountId: account.accountId, month }),
          tallies.read(account.accountId, [month]),
        ]);
        const total = totalRouted(sums.get(month) ?? {});
        const routed = { bytes: Number(total.bytes), uploads: Number(total.uploads) };
        const limits = plans[account.plan];
        return {
          status: 200,
          body: presentMe({ account, keyMode, limits, month, routed, booked }),
        };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/providers/api-key',
      auth: 'dashboard',
      summary: 'The API key, masked',
      replies: { 200: ApiKeyView },
      refusals: [],
      handle: async ({ account }) => ({ status: 200, body: presentApiKey(account.apiKey) }),
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/providers/api-key/regenerate',
      auth: 'dashboard',
      summary: 'Issue a new API key, or the first one',
      body: Empty,
      replies: { 200: NewApiKeyView },
      refusals: [],
      async handle({ account }) {
        const { key, createdAt } = await issueKey(account);
        return { status: 200, body: { apiKey: key, createdAt } };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/keys/rotate',
      auth: 'dashboard',
      summary: 'Replace the API key; the old one fails at once',
      body: Empty,
      replies: { 200: RotationView },
      refusals: [],
      async handle({ account }) {
        const { key, createdAt } = await issueKey(account);
        return { status: 200, body: { newApiKey: key, rotatedAt: createdAt } };
      },
    }),
  ];
}
