import { createDocsRoute } from '../docs-page.ts';
import { EXAMPLES } from '../examples/index.ts';
import { createOpenApiRoute } from '../openapi.ts';
import type { Route } from '../route.ts';
import { createAccountRoutes, type AccountRoutesDeps } from './account.ts';
import { createAnalyticsRoutes, type AnalyticsRoutesDeps } from './analytics.ts';
import { createBillingRoutes, type BillingRoutesDeps } from './billing.ts';
import { createConnectionRoutes, type ConnectionRoutesDeps } from './connections.ts';
import { createFileRoutes, type FileRoutesDeps } from './files.ts';
import { createHealthRoutes, type HealthRoutesDeps } from './health.ts';
import { createMigrationRoutes, type MigrationRoutesDeps } from './migrations.ts';
import { createProviderRoutes, type ProviderRoutesDeps } from './providers.ts';
import { createScanRoutes, type ScanRoutesDeps } from './scans.ts';
import { createUploadRoutes, type UploadRoutesDeps } from './uploads.ts';

export type RoutesDeps = HealthRoutesDeps &
  AccountRoutesDeps &
  UploadRoutesDeps &
  FileRoutesDeps &
  ProviderRoutesDeps &
  ConnectionRoutesDeps &
  ScanRoutesDeps &
  MigrationRoutesDeps &
  AnalyticsRoutesDeps &
  BillingRoutesDeps;

/** The whole interface, as a table. */
export function createRoutes(deps: RoutesDeps): Route[] {
  const routes = [
    ...createHealthRoutes(deps),
    ...createAccountRoutes(deps),
    ...createUploadRoutes(deps),
    ...createFileRoutes(deps),
    ...createProviderRoutes(deps),
    ...createConnectionRoutes(deps),
    ...createScanRoutes(deps),
    ...createMigrationRoutes(deps),
    ...createAnalyticsRoutes(deps),
    ...createBillingRoutes(deps),
    createDocsRoute(),
  ];
  return [...routes, createOpenApiRoute(routes, EXAMPLES)];
}
