import {
  ArrowRightLeft,
  CreditCard,
  Database,
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
  /** In the navigation. Undefined: other views lead to it. */
  readonly link?: { readonly title: string; readonly icon: LucideIcon };
  readonly component: ComponentType;
}

/** A view is one folder, one line here, and is loaded when it is shown. Links are in this order. */
export const VIEWS: readonly View[] = [
  {
    path: '/',
    link: { title: 'Overview', icon: LayoutDashboard },
    component: lazy(async () => ({ default: (await import('./overview/overview.tsx')).Overview })),
  },
  {
    path: '/audit',
    link: { title: 'Audit', icon: ScanSearch },
    component: lazy(async () => ({ default: (await import('./audit/audit.tsx')).Audit })),
  },
  {
    path: '/audit/connect/store',
    component: lazy(async () => ({
      default: (await import('./audit/connect/connect-store.tsx')).ConnectStore,
    })),
  },
  {
    path: '/audit/connect',
    component: lazy(async () => ({
      default: (await import('./audit/connect/connect.tsx')).Connect,
    })),
  },
  {
    path: '/audit/compare',
    component: lazy(async () => ({
      default: (await import('./audit/compare/compare.tsx')).Compare,
    })),
  },
  {
    path: '/audit/scans/:scanId',
    component: lazy(async () => ({ default: (await import('./audit/scan/scan.tsx')).Scan })),
  },
  {
    path: '/audit/scans/:scanId/bill',
    component: lazy(async () => ({ default: (await import('./audit/bill/bill.tsx')).Bill })),
  },
  {
    path: '/audit/scans/:scanId/report',
    component: lazy(async () => ({
      default: (await import('./audit/report/report.tsx')).Report,
    })),
  },
  {
    path: '/recommendations',
    link: { title: 'Recommendations', icon: Lightbulb },
    component: lazy(async () => ({
      default: (await import('./recommendations/recommendations.tsx')).Recommendations,
    })),
  },
  {
    path: '/recommendations/:recommendationId',
    component: lazy(async () => ({
      default: (await import('./recommendations/recommendation.tsx')).RecommendationView,
    })),
  },
  {
    path: '/migrations',
    link: { title: 'Migrations', icon: ArrowRightLeft },
    component: lazy(async () => ({
      default: (await import('./migrations/migrations.tsx')).Migrations,
    })),
  },
  {
    path: '/migrations/:migrationId',
    component: lazy(async () => ({
      default: (await import('./migrations/migration.tsx')).Migration,
    })),
  },
  {
    path: '/usage',
    link: { title: 'Usage', icon: Upload },
    component: lazy(async () => ({ default: (await import('./usage/usage.tsx')).Usage })),
  },
  {
    path: '/usage/files/:fileId',
    component: lazy(async () => ({
      default: (await import('./usage/routed-file.tsx')).RoutedFileView,
    })),
  },
  {
    path: '/providers',
    link: { title: 'Providers', icon: Database },
    component: lazy(async () => ({
      default: (await import('./providers/providers.tsx')).Providers,
    })),
  },
  {
    path: '/key',
    link: { title: 'Key', icon: KeyRound },
    component: lazy(async () => ({ default: (await import('./key/key.tsx')).Key })),
  },
  {
    path: '/webhooks',
    link: { title: 'Webhooks', icon: Webhook },
    component: lazy(async () => ({ default: (await import('./webhooks/webhooks.tsx')).Webhooks })),
  },
  {
    path: '/activity',
    link: { title: 'Activity', icon: ScrollText },
    component: lazy(async () => ({ default: (await import('./activity/activity.tsx')).Activity })),
  },
  {
    path: '/plan',
    link: { title: 'Plan', icon: CreditCard },
    component: lazy(async () => ({ default: (await import('./plan/plan.tsx')).Plan })),
  },
];
