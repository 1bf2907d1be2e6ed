import type { Section } from '../statement.ts';

export const INTRODUCTION: Section = {
  heading: 'Storage Routing Service: Interface Specification',
  statements: [
    {
      id: 'service.no-bytes-pass-through',
      quote: 'File bytes never pass through the service',
      says: 'File bytes never pass through the service.',
    },
  ],
  silent: [
    'This document covers the whole service',
    'Base address',
    'Notation:',
    '`<x>` is a placeholder',
    '`svc` stands',
  ],
};

export const SERVICE: Section = {
  heading: 'What the service does',
  statements: [
    {
      id: 'router.presigned-url',
      quote: '1. Router: a client asks the service where to store a file',
      says: 'A client asks where to store a file.',
    },
    {
      id: 'router.picks-a-configured-store',
      quote: "The service picks one of the customer's configured object stores",
      says: 'It picks one of the configured stores and returns a presigned URL.',
    },
    {
      id: 'router.url-lifetime',
      quote: '(lifetime about 1 hour)',
      says: 'The presigned URL lives for about an hour.',
    },
    {
      id: 'router.bytes-go-to-the-store',
      quote: 'The client sends the bytes straight to the store.',
      says: 'The client sends the bytes straight to the store.',
    },
    {
      id: 'router.complete-checks-the-object',
      quote:
        'The client then tells the service the upload is finished; the service checks that the object exists',
      says: 'On complete, it checks the object and marks the file active.',
    },
    {
      id: 'routing.deterministic',
      quote: 'Routing is deterministic:',
      says: 'Routing is deterministic.',
    },
    {
      id: 'routing.hot',
      quote: 'priority `hot` prefers the zero-egress edge store',
      says: '`hot` prefers the edge store.',
    },
    {
      id: 'routing.archive',
      quote: 'priority `archive` prefers the archive store',
      says: '`archive` prefers the archive store.',
    },
    {
      id: 'routing.cold',
      quote: 'priority `cold` uses a cost formula',
      says: '`cold` uses a cost formula.',
    },
    {
      id: 'routing.fallback-warns',
      quote: 'If the preferred store is not configured',
      says: 'Without the preferred store it falls back to another, with `routingWarning`.',
    },
    {
      id: 'routing.fails-without-any-store',
      quote: 'It fails only if no store is configured at all',
      says: 'Routing fails only where no store is configured at all.',
    },
    {
      id: 'scanner.read-only-role',
      quote: 'a customer connects a cloud account through an assumable read-only role',
      says: 'A cloud account is connected through an assumable read-only role.',
    },
    {
      id: 'scanner.lists-classifies-compares',
      quote: 'The service lists buckets and objects, classifies them, and compares cost',
      says: 'It lists buckets and objects, classifies them, compares with the optimal placement.',
    },
    {
      id: 'scanner.recommends',
      quote: 'It produces recommendations.',
      says: 'A scan produces recommendations.',
    },
    {
      id: 'scanner.decision-report-when-enabled',
      quote: 'When enabled, it also maps the scan to a workload profile',
      says: 'When enabled: a workload profile and a decision report.',
    },
    {
      id: 'migration.explicit-approval',
      quote: 'only after an explicit approval call naming a target provider',
      says: 'A migration needs an approval that names a target provider.',
    },
    {
      id: 'migration.never-by-itself',
      quote: 'Migrations never start automatically.',
      says: 'Migrations never start automatically.',
    },
    {
      id: 'migration.stored-credentials',
      quote: "The copy uses the customer's stored router credentials.",
      says: "The copy uses the customer's stored router credentials.",
    },
    {
      id: 'credentials.encrypted-at-rest',
      quote: 'Provider credentials are stored encrypted at rest (AES-256-GCM).',
      says: 'Provider credentials are stored encrypted (AES-256-GCM).',
    },
    {
      id: 'upload.records-savings',
      quote: 'Each routed upload records savings against the hyperscaler object store',
      says: 'Each routed upload records `savedVsAws`.',
    },
    {
      id: 'upload.records-gigabytes',
      quote: 'a usage record of gigabytes routed',
      says: 'Each routed upload leaves a usage record of gigabytes.',
    },
    {
      id: 'dashboard.analytics-and-billing',
      quote: 'Dashboard features: analytics, billing checkout and portal',
      says: 'The dashboard has analytics, billing checkout and portal.',
    },
    {
      id: 'dashboard.api-key-view',
      quote: 'API key view',
      says: 'The dashboard shows the API key, regenerates and rotates it.',
    },
    {
      id: 'routing.cost-formula',
      quote: '8. Cost formula',
      says: 'Cost formula: computed by the price book, to the micro-dollar.',
      settledBy: 'section 3',
    },
    {
      id: 'decide.rules',
      quote: 'decision engine (`decide()`) rules',
      says: 'The rules of `decide()`: never dearer than staying, the same in any order.',
      settledBy: 'section 6',
    },
    {
      id: 'plans.entitlements',
      quote: 'entitlement rules: not shown',
      says: 'Entitlements: quotas of gigabytes, uploads, scans, providers; migrations or not.',
      settledBy: 'section 9',
    },
  ],
};
