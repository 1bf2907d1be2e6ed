import { createDocsRoute, createOpenApiRoute } from './http/docs.ts';
import type { AccountDeps } from '../operations/accounts/accounts.ts';
import type { AnalyticsDeps } from '../operations/analytics/analytics.ts';
import type { ProviderDeps } from '../operations/providers/providers.ts';
import type { Route } from './http/route.ts';
import { createAccountRoutes } from './accounts/routes.ts';
import { createAnalyticsRoutes } from './analytics/routes.ts';
import { createBillingRoutes, type BillingRoutesDeps } from './billing/routes.ts';
import { createHealthRoutes, type HealthRoutesDeps } from './http/health.ts';
import { createMigrationRoutes, type MigrationRoutesDeps } from './migrations/routes.ts';
import { createProviderRoutes } from './providers/routes.ts';
import { createConnectionRoutes, type ConnectionRoutesDeps } from './connections/routes.ts';
import { createDrillRoutes } from './drills/routes.ts';
import { createRelocationRoutes } from './relocations/routes.ts';
import type { DrillScheduleDeps } from '../operations/drills/schedules.ts';
import type { RelocationDeps } from '../operations/relocations/relocations.ts';
import { createScanRoutes, type ScanRoutesDeps } from './scans/routes.ts';
import { createRecommendationRoutes } from './recommendations/routes.ts';
import type { RecommendationDeps } from '../operations/recommendations/recommendations.ts';
import { createWebhookRoutes } from './webhooks/routes.ts';
import type { WebhookDeps } from '../operations/webhooks/webhooks.ts';
import { createUploadRoutes, type UploadRoutesDeps } from './uploads/routes.ts';

export type RoutesDeps = HealthRoutesDeps &
  AccountDeps &
  UploadRoutesDeps &
  ProviderDeps &
  ConnectionRoutesDeps &
  ScanRoutesDeps &
  RecommendationDeps &
  MigrationRoutesDeps &
  RelocationDeps &
  DrillScheduleDeps &
  AnalyticsDeps &
  WebhookDeps &
  BillingRoutesDeps;

/** The table of all routes. */
export function createRoutes(deps: RoutesDeps): Route[] {
  const routes = [
    ...createHealthRoutes(deps),
    ...createAccountRoutes(deps),
    ...createUploadRoutes(deps),
    ...createProviderRoutes(deps),
    ...createConnectionRoutes(deps),
    ...createScanRoutes(deps),
    ...createRecommendationRoutes(deps),
    ...createMigrationRoutes(deps),
    ...createRelocationRoutes(deps),
    ...createDrillRoutes(deps),
    ...createAnalyticsRoutes(deps),
    ...createBillingRoutes(deps),
    ...createWebhookRoutes(deps),
    createDocsRoute(),
  ];
  return [...routes, createOpenApiRoute(routes)];
}
