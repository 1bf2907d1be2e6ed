import { createDocsRoute } from './docs.ts';
import { EXAMPLES } from '../examples/index.ts';
import { createOpenApiRoute } from './openapi.ts';
import type { AccountDeps } from '../operations/account.ts';
import type { AnalyticsDeps } from '../operations/analytics.ts';
import type { ConnectionDeps } from '../operations/connections.ts';
import type { FileDeps } from '../operations/files.ts';
import type { HealthDeps } from '../../adapters/telemetry/health.ts';
import type { ProviderDeps } from '../operations/providers.ts';
import type { RecommendationDeps } from '../operations/recommendations.ts';
import type { ScanDeps } from '../operations/scans.ts';
import type { ServiceIdentityDeps } from '../operations/service-identity.ts';
import type { Route } from './route.ts';
import { createAccountRoutes } from './account.ts';
import { createAnalyticsRoutes } from './analytics.ts';
import { createBillingRoutes, type BillingRoutesDeps } from './billing.ts';
import { createConnectionRoutes } from './connections.ts';
import { createFileRoutes } from './files.ts';
import { createHealthRoutes } from './health.ts';
import { createMigrationRoutes, type MigrationRoutesDeps } from './migrations.ts';
import { createProviderRoutes } from './providers.ts';
import { createRecommendationRoutes } from './recommendations.ts';
import { createScanRoutes } from './scans.ts';
import { createUploadRoutes, type UploadRoutesDeps } from './uploads.ts';

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
