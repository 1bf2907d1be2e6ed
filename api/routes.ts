import { createDocsRoute } from './http/docs.ts';
import { EXAMPLES } from './examples.ts';
import { createOpenApiRoute } from './http/openapi.ts';
import type { AccountDeps } from './account/account.ts';
import type { AnalyticsDeps } from './analytics/analytics.ts';
import type { ConnectionDeps, ServiceIdentityDeps } from './scans/connections.ts';
import type { FileDeps } from './uploads/files.ts';
import type { HealthDeps } from '../adapters/telemetry/health.ts';
import type { ProviderDeps } from './providers/providers.ts';
import type { RecommendationDeps } from './scans/recommendations.ts';
import type { ScanDeps } from './scans/scans.ts';
import type { Route } from './http/route.ts';
import { createAccountRoutes } from './account/routes.ts';
import { createAnalyticsRoutes } from './analytics/routes.ts';
import { createBillingRoutes, type BillingRoutesDeps } from './billing/routes.ts';
import { createConnectionRoutes } from './scans/connection-routes.ts';
import { createFileRoutes } from './uploads/file-routes.ts';
import { createHealthRoutes } from './http/health.ts';
import { createMigrationRoutes, type MigrationRoutesDeps } from './migrations/routes.ts';
import { createProviderRoutes } from './providers/routes.ts';
import { createRecommendationRoutes } from './scans/recommendation-routes.ts';
import { createScanRoutes } from './scans/routes.ts';
import { createUploadRoutes, type UploadRoutesDeps } from './uploads/routes.ts';

export type RoutesDeps = HealthDeps &
  AccountDeps &
  UploadRoutesDeps &
  FileDeps &
  ProviderDeps &
  ConnectionDeps &
  ServiceIdentityDeps &
  ScanDeps &
  RecommendationDeps &
  MigrationRoutesDeps &
  AnalyticsDeps &
  BillingRoutesDeps;

/** The table of all routes. */
export function createRoutes(deps: RoutesDeps): Route[] {
  const routes = [
    ...createHealthRoutes(deps),
    ...createAccountRoutes(deps),
    ...createUploadRoutes(deps),
    ...createFileRoutes(deps),
    ...createProviderRoutes(deps),
    ...createConnectionRoutes(deps),
    ...createScanRoutes(deps),
    ...createRecommendationRoutes(deps),
    ...createMigrationRoutes(deps),
    ...createAnalyticsRoutes(deps),
    ...createBillingRoutes(deps),
    createDocsRoute(),
  ];
  return [...routes, createOpenApiRoute(routes, EXAMPLES)];
}
