import {
  listMigrations,
  listRecommendations,
  type AccountListDeps,
} from '../operations/account-lists.ts';
import { presentMigrationLine } from '../present/migration.ts';
import { presentListedRecommendation } from '../present/scan.ts';
import { MigrationsPage, MigrationsQuery } from '../schemas/migrations.ts';
import { RecommendationsPage, RecommendationsQuery } from '../schemas/recommendations.ts';
import { defineRoute, type Route } from './route.ts';

export function createAccountListRoutes(deps: AccountListDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/scanner/recommendations',
      auth: 'dashboard',
      summary: 'The recommendations of all scans, the largest savings first',
      description:
        "A page of recommendations, filtered by `status` and `connectionId`. Those of kind `move` can be approved; the others are for the account's owner to carry out.",
      query: RecommendationsQuery,
      replies: { 200: RecommendationsPage },
      refusals: [],
      async handle({ account, query }) {
        const { limit, offset } = query;
        const { items, total, now } = await listRecommendations(deps, account, query);
        const shown = items.map((each) => presentListedRecommendation(each, now));
        return { status: 200, body: { items: shown, total, limit, offset } };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/migrations',
      auth: 'dashboard',
      summary: 'The approved migrations, the newest first, as they are stored',
      description:
        'A page of migrations, filtered by `status`. Status and percent are the stored ones; `GET /v1/scanner/migration/{migrationId}` has the live ones.',
      query: MigrationsQuery,
      replies: { 200: MigrationsPage },
      refusals: [],
      async handle({ account, query }) {
        const { limit, offset } = query;
        const { items, total, confirmed } = await listMigrations(deps, account, query);
        const shown = items.map((each) => presentMigrationLine(each, confirmed));
        return { status: 200, body: { items: shown, total, limit, offset } };
      },
    }),
  ];
}
