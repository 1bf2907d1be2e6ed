import {
  ArrowRightLeft,
  CreditCard,
  Database,
  DoorOpen,
  KeyRound,
  LayoutDashboard,
  Lightbulb,
  ScanSearch,
  ScrollText,
  Upload,
  Webhook,
  type LucideIcon,
} from 'lucide-react';
import { lazy, type ComponentType } from 'react';

export interface View {
  /** Below the page's own path, in the syntax of wouter: `/migrations/:migrationId`. */
  readonly path: string;
  readonly component: ComponentType;
  /** In the navigation. Undefined: other views lead to it. */
  readonly link: { readonly title: string; readonly icon: LucideIcon } | undefined;
}

/** @param icon of a view in the navigation, which has the name of its component */
function view<Name extends string>(
  path: string,
  load: () => Promise<Readonly<Record<Name, ComponentType>>>,
  name: Name,
  icon?: LucideIcon,
): View {
  const component = lazy<ComponentType>(async () => ({ default: (await load())[name] }));
  return { path, component, link: icon && { title: name, icon } };
}

/** A view is one folder, and is loaded when it is shown. Links are in this order. */
export const VIEWS: readonly View[] = [
  view('/', () => import('./overview/overview.tsx'), 'Overview', LayoutDashboard),
  view('/audit', () => import('./audit/audit.tsx'), 'Audit', ScanSearch),
  view('/audit/connect/store', () => import('./audit/connect/connect-store.tsx'), 'ConnectStore'),
  view('/audit/connect', () => import('./audit/connect/connect.tsx'), 'Connect'),
  view('/audit/compare', () => import('./audit/compare/compare.tsx'), 'Compare'),
  view('/audit/scans/:scanId', () => import('./audit/scan/scan.tsx'), 'Scan'),
  view('/audit/scans/:scanId/bill', () => import('./audit/bill/bill.tsx'), 'Bill'),
  view('/audit/scans/:scanId/report', () => import('./audit/report/report.tsx'), 'Report'),
  view(
    '/recommendations',
    () => import('./recommendations/recommendations.tsx'),
    'Recommendations',
    Lightbulb,
  ),
  view(
    '/recommendations/:recommendationId',
    () => import('./recommendations/recommendation.tsx'),
    'RecommendationView',
  ),
  view('/migrations', () => import('./migrations/migrations.tsx'), 'Migrations', ArrowRightLeft),
  view(
    '/migrations/relocations/:relocationId',
    () => import('./migrations/relocation.tsx'),
    'Relocation',
  ),
  view('/migrations/:migrationId', () => import('./migrations/migration.tsx'), 'Migration'),
  view('/drills', () => import('./drills/drills.tsx'), 'Drills', DoorOpen),
  view('/drills/:drillId', () => import('./drills/drill.tsx'), 'Drill'),
  view('/usage', () => import('./usage/usage.tsx'), 'Usage', Upload),
  view('/usage/files/:fileId', () => import('./usage/routed-file.tsx'), 'RoutedFileView'),
  view('/providers', () => import('./providers/providers.tsx'), 'Providers', Database),
  view('/key', () => import('./key/key.tsx'), 'Key', KeyRound),
  view('/webhooks', () => import('./webhooks/webhooks.tsx'), 'Webhooks', Webhook),
  view('/activity', () => import('./activity/activity.tsx'), 'Activity', ScrollText),
  view('/plan', () => import('./plan/plan.tsx'), 'Plan', CreditCard),
];
