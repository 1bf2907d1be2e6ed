import { lazy, type ComponentType } from 'react';

export interface View {
  /** Below the page's own path, in the syntax of wouter: `/migrations/:migrationId`. */
  readonly path: string;
  /** In the navigation. Undefined: other views lead to it. */
  readonly link: string | undefined;
  readonly component: ComponentType;
}

/** A view is one folder, one line here, and is loaded when it is shown. Links are in this order. */
export const VIEWS: readonly View[] = [
  {
    path: '/',
    link: 'Overview',
    component: lazy(async () => ({ default: (await import('./overview/overview.tsx')).Overview })),
  },
  {
    path: '/usage',
    link: 'Usage',
    component: lazy(async () => ({ default: (await import('./usage/usage.tsx')).Usage })),
  },
  {
    path: '/usage/files/:fileId',
    link: undefined,
    component: lazy(async () => ({
      default: (await import('./usage/routed-file.tsx')).RoutedFileView,
    })),
  },
  {
    path: '/providers',
    link: 'Providers',
    component: lazy(async () => ({
      default: (await import('./providers/providers.tsx')).Providers,
    })),
  },
  {
    path: '/key',
    link: 'Key',
    component: lazy(async () => ({ default: (await import('./key/key.tsx')).Key })),
  },
  {
    path: '/audit',
    link: 'Audit',
    component: lazy(async () => ({ default: (await import('./audit/audit.tsx')).Audit })),
  },
  {
    path: '/audit/connect',
    link: undefined,
    component: lazy(async () => ({
      default: (await import('./audit/connect/connect.tsx')).Connect,
    })),
  },
  {
    path: '/audit/compare',
    link: undefined,
    component: lazy(async () => ({
      default: (await import('./audit/compare/compare.tsx')).Compare,
    })),
  },
  {
    path: '/audit/scans/:scanId',
    link: undefined,
    component: lazy(async () => ({ default: (await import('./audit/scan/scan.tsx')).Scan })),
  },
  {
    path: '/recommendations',
    link: 'Recommendations',
    component: lazy(async () => ({
      default: (await import('./recommendations/recommendations.tsx')).Recommendations,
    })),
  },
  {
    path: '/recommendations/:recommendationId',
    link: undefined,
    component: lazy(async () => ({
      default: (await import('./recommendations/recommendation.tsx')).RecommendationView,
    })),
  },
  {
    path: '/migrations',
    link: 'Migrations',
    component: lazy(async () => ({
      default: (await import('./migrations/migrations.tsx')).Migrations,
    })),
  },
  {
    path: '/migrations/:migrationId',
    link: undefined,
    component: lazy(async () => ({
      default: (await import('./migrations/migration.tsx')).Migration,
    })),
  },
  {
    path: '/plan',
    link: 'Plan',
    component: lazy(async () => ({ default: (await import('./plan/plan.tsx')).Plan })),
  },
];
