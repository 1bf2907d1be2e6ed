import { accountRoutes } from './resources/account.ts';
import { analyticsRoutes } from './resources/analytics.ts';
import { billingRoutes } from './resources/billing.ts';
import { fileRoutes } from './resources/files.ts';
import { keyRoutes } from './resources/keys.ts';
import { migrationRoutes } from './resources/migrations.ts';
import { partRoutes } from './resources/parts.ts';
import { providerRoutes } from './resources/providers.ts';
import { drillRoutes } from './resources/drills.ts';
import { relocationRoutes } from './resources/relocations.ts';
import { scannerRoutes } from './resources/scanner.ts';
import { webhookRoutes } from './resources/webhooks.ts';
import type { Route } from './http/transport.ts';

/** Every route that the client calls; a test compares it with the service's route table. */
export const clientRoutes: readonly Route[] = [
  accountRoutes,
  fileRoutes,
  partRoutes,
  keyRoutes,
  providerRoutes,
  scannerRoutes,
  migrationRoutes,
  relocationRoutes,
  drillRoutes,
  analyticsRoutes,
  billingRoutes,
  webhookRoutes,
].flatMap((routes) => Object.values<Route>(routes));
