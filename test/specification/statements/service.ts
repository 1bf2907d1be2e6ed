import { acceptance, integration, unit, type Section } from '../statement.ts';
import { SCANNER_SERVICE } from './scanner-service.ts';

const COUNTED = 'Upload complete counts in exact bytes, booked at init and routed at complete';

export const INTRODUCTION: Section = {
  heading: 'Storage Routing Service: Interface Specification',
  statements: [
    {
      id: 'service.no-bytes-pass-through',
      quote: 'File bytes never pass through the service',
      says: 'File bytes never pass through the service.',
      heldBy: [
        ...acceptance(
          'presigned-url',
          'The presigned URL of an upload leads to the bucket of the store that was chosen',
        ),
        ...acceptance(
          'requests',
          'Requests POST /v1/upload/init refuses what is not in its form refuses more than 64 KiB, announced or in chunks, and not one byte less',
        ),
      ],
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
      heldBy: acceptance('whole-upload', 'A whole upload by plain curl works: …'),
    },
    {
      id: 'router.picks-a-configured-store',
      quote: "The service picks one of the customer's configured object stores",
      says: 'It picks one of the configured stores and returns a presigned URL.',
      heldBy: [
        ...acceptance('routing', 'Routing with aws, r2 sends …', 'Routing with b2 sends …'),
        ...unit('domain/routing', 'route never chooses a store that is not configured'),
      ],
    },
    {
      id: 'router.url-lifetime',
      quote: '(lifetime about 1 hour)',
      says: 'The presigned URL lives for about an hour.',
      heldBy: acceptance(
        'presigned-url',
        'The presigned URL of an upload lives for an hour, as expiresAt says',
      ),
    },
    {
      id: 'router.bytes-go-to-the-store',
      quote: 'The client sends the bytes straight to the store.',
      says: 'The client sends the bytes straight to the store.',
      heldBy: acceptance('put', 'A PUT to the store as it was told is taken, …'),
    },
    {
      id: 'router.complete-checks-the-object',
      quote:
        'The client then tells the service the upload is finished; the service checks that the object exists',
      says: 'Told of the end, it checks the object and marks the file active.',
      heldBy: acceptance(
        'complete',
        'Upload complete makes the file active, and says so',
        'Upload complete says before the PUT that the object is not there, as often as it is asked',
      ),
    },
    {
      id: 'routing.deterministic',
      quote: 'Routing is deterministic:',
      says: 'Routing is deterministic.',
      heldBy: [
        ...acceptance('routing', 'Routing gives the same answer to the same question, every time'),
        ...unit(
          'domain/routing',
          'route gives the same answer to the same request, in any order of the stores',
        ),
      ],
    },
    {
      id: 'routing.hot',
      quote: 'priority `hot` prefers the zero-egress edge store',
      says: '`hot` prefers the edge store.',
      heldBy: acceptance('routing', 'Routing with aws, r2, b2 sends hot files to r2'),
    },
    {
      id: 'routing.archive',
      quote: 'priority `archive` prefers the archive store',
      says: '`archive` prefers the archive store.',
      heldBy: acceptance('routing', 'Routing with aws, r2, b2 sends archive files to b2'),
    },
    {
      id: 'routing.cold',
      quote: 'priority `cold` uses a cost formula',
      says: '`cold` uses a cost formula.',
      heldBy: [
        ...acceptance(
          'routing',
          'Routing with aws, r2, b2 sends cold files to b2',
          'Routing with aws, r2 sends cold files to r2',
        ),
        ...unit('domain/routing', 'route chooses the cheapest for cold files'),
      ],
    },
    {
      id: 'routing.fallback-warns',
      quote: 'If the preferred store is not configured',
      says: 'Without the preferred store it falls back to another, with `routingWarning`.',
      heldBy: acceptance(
        'routing',
        'Routing with aws, b2 sends hot files to b2, with a warning',
        'Routing with aws, r2 sends archive files to r2, with a warning',
        'Routing with aws sends hot files to aws, with a warning',
      ),
    },
    {
      id: 'routing.fails-without-any-store',
      quote: 'It fails only if no store is configured at all',
      says: 'Routing fails only where no store is configured at all.',
      heldBy: [
        ...acceptance(
          'refusal-order',
          'The order of refusals without any store says of an init that fits that no store is configured',
        ),
        ...acceptance('routing', 'Routing with aws sends …', 'Routing with r2 sends …'),
      ],
    },
    ...SCANNER_SERVICE,
    {
      id: 'credentials.encrypted-at-rest',
      quote: 'Provider credentials are stored encrypted at rest (AES-256-GCM).',
      says: 'Provider credentials are stored encrypted (AES-256-GCM).',
      heldBy: [
        ...unit(
          'adapters/vault',
          'the vault seals as AES-256-GCM, which any other program can open',
        ),
        ...integration('service/canary', 'a secret is in no document of the database'),
      ],
    },
    {
      id: 'upload.records-savings',
      quote: 'Each routed upload records savings against the hyperscaler object store',
      says: 'Each routed upload records `savedVsAws`.',
      heldBy: [
        ...acceptance(
          'routing',
          'Routing costs at a real deployment what the owner of the service has worked out',
          'Routing holds savings against the prices of the region that the account has at the hyperscaler',
        ),
        ...acceptance(
          'analytics',
          'Analytics count an upload when it is completed, and keep it when it is deleted',
        ),
      ],
    },
    {
      id: 'upload.records-gigabytes',
      quote: 'a usage record of gigabytes routed',
      says: 'Each routed upload leaves a usage record of gigabytes.',
      heldBy: acceptance('complete', COUNTED),
    },
    {
      id: 'dashboard.analytics-and-billing',
      quote: 'Dashboard features: analytics, billing checkout and portal',
      says: 'The dashboard has analytics, billing checkout and portal.',
      heldBy: [...acceptance('analytics', 'Analytics …'), ...acceptance('billing', 'Billing …')],
    },
    {
      id: 'dashboard.api-key-view',
      quote: 'API key view',
      says: 'The dashboard shows the API key, regenerates and rotates it.',
      heldBy: acceptance(
        'client-library',
        'The client library shows, regenerates and rotates the key',
      ),
    },
    {
      id: 'routing.cost-formula',
      quote: '8. Cost formula',
      says: 'Cost formula: reckoned by the price book, to the micro-dollar.',
      settledBy: 'section 3',
      heldBy: [
        ...acceptance(
          'routing',
          'Routing costs at a real deployment what the owner of the service has worked out',
        ),
        ...unit('domain/routing', 'route saves what the worked examples say, to the micro-dollar'),
      ],
    },
    {
      id: 'decide.rules',
      quote: 'decision engine (`decide()`) rules',
      says: 'The rules of `decide()`: never dearer than staying, the same in any order.',
      settledBy: 'section 6',
      heldBy: [
        ...unit('domain/decision/worked', 'decide, on the worked examples …'),
        ...unit('domain/decision/properties', 'decide, on random inventories …'),
      ],
    },
    {
      id: 'plans.entitlements',
      quote: 'entitlement rules: not shown',
      says: 'Entitlements: quotas of gigabytes, uploads, scans, providers; migrations or not.',
      settledBy: 'section 9',
      heldBy: [
        ...acceptance('account', 'Who am I tells the quotas of the plan'),
        ...integration(
          'service/quota',
          'the quota of an account lets 50 of 200 parallel inits pass where 50 uploads are left',
        ),
        ...integration(
          'scan/scan',
          'a scan counts against the plan; a refused start costs nothing and leaves nothing',
        ),
        ...integration('migration/approval', 'the approval of a move is not in every plan'),
      ],
    },
  ],
};
