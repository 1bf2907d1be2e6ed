import { SAMPLE, type Examples } from '../http/examples.ts';
import { READ_SCENARIOS, RESULT } from './result-example.ts';

const { connectionId, scanId, recommendationId } = SAMPLE;

const CONNECTION = {
  connectionId,
  roleArn: 'arn:aws:iam::111122223333:role/StorageRoutingReadOnly',
  externalId: 'a9f1c2d3-example',
  regions: ['us-east-1'],
  bucketCount: 1,
  warnings: [],
  createdAt: '2026-11-20T11:58:00.000Z',
  schedule: null,
};

/** Of the stored credentials of a store. */
const STORE_CONNECTION = {
  connectionId: '5c1f8a2e-94d3-4f6b-8e07-3b9d2a6c1f40',
  provider: 'r2',
  buckets: ['media', 'backups'],
  bucketCount: 3,
  warnings: [],
  createdAt: '2026-11-21T08:10:00.000Z',
  schedule: null,
};

const SCHEDULE = {
  every: 'week',
  hourUtc: 3,
  nextAt: '2026-11-27T03:24:51.000Z',
  last: { at: '2026-11-20T03:25:10.000Z', scanId, outcome: 'started' },
};

const REPORT =
  '# Save 57 % by moving to Backblaze B2\n\nAWS account 111122223333 · audit of 20 November 2026 · prices of 2026-11-28\n\nYour S3 bill of October 2026 was $26.41; this audit explains $26.40 of it. **From $25.86 to $11.23 a month.** The steps cost $37.79 once, paid back after 2.6 months.\n';

const RECOMMENDATION_DETAIL = {
  ...RESULT.recommendations[0],
  scanId,
  connectionId,
  horizonMonths: RESULT.decisionReport.horizonMonths,
  assumptions: RESULT.decisionReport.assumptions,
  readScenarios: READ_SCENARIOS,
};

const DISMISSAL = {
  until: '2027-02-18T12:30:00.000Z',
  reason: 'The archive is read again in spring.',
  by: 'user_2f9c',
  byName: 'Anna Berg',
  at: '2026-11-20T12:30:00.000Z',
};

export const SCANNER_EXAMPLES: Examples = {
  'GET /v1/scanner/service-identity': {
    replies: {
      200: {
        awsAccountId: '999988887777',
        templateUrl: 'https://storage-routing.s3.us-east-1.amazonaws.com/storage-routing-role.yaml',
      },
    },
  },
  'POST /v1/scanner/connect': {
    body: {
      roleArn: CONNECTION.roleArn,
      externalId: CONNECTION.externalId,
      regions: CONNECTION.regions,
    },
    replies: { 201: CONNECTION },
  },
  'GET /v1/scanner/connections': {
    replies: { 200: { items: [{ ...CONNECTION, schedule: SCHEDULE }, STORE_CONNECTION] } },
  },
  'DELETE /v1/scanner/connections/{connectionId}': { parameters: { connectionId }, replies: {} },
  'PUT /v1/scanner/connections/{connectionId}/schedule': {
    parameters: { connectionId },
    body: { every: 'week', hourUtc: 3 },
    replies: { 200: SCHEDULE },
  },
  'DELETE /v1/scanner/connections/{connectionId}/schedule': {
    parameters: { connectionId },
    replies: {},
  },
  'POST /v1/scanner/scan': {
    body: { connectionId },
    replies: { 202: { scanId, connectionId, status: 'queued', startedAt: RESULT.startedAt } },
  },
  'GET /v1/scanner/results/{scanId}': { parameters: { scanId }, replies: { 200: RESULT } },
  'GET /v1/scanner/results/{scanId}/progress': {
    parameters: { scanId },
    replies: {
      200: {
        buckets: [
          {
            name: 'acme-media',
            state: 'reading',
            objects: 1_200,
            bytes: 270_532_608_000,
            error: null,
          },
        ],
      },
    },
  },
  'GET /v1/scanner/results/{scanId}/changes': {
    parameters: { scanId },
    replies: {
      200: {
        since: {
          scanId: '5e0c1b7a-2f64-4a0e-9d3b-8c1f6a7e4d52',
          at: '2026-11-13T03:30:02.000Z',
          priceBook: '2026-11-22',
        },
        costChangeUsd: 1.2,
        causes: [
          { code: 'new_bucket', usd: 0 },
          { code: 'gone_bucket', usd: 0 },
          { code: 'objects', usd: 1.2 },
          { code: 'reads', usd: 0 },
          { code: 'prices', usd: 0 },
        ],
        buckets: [{ name: 'acme-media', costChangeUsd: 1.2 }],
        recommendations: { opened: [], gone: [], better: [recommendationId] },
      },
    },
  },
  'GET /v1/scanner/results/{scanId}/report': { parameters: { scanId }, replies: { 200: REPORT } },
  'GET /v1/scanner/recommendations': {
    parameters: { status: 'open', connectionId, limit: 10, offset: 0 },
    replies: {
      200: {
        items: RESULT.recommendations.map((each) => ({ ...each, scanId, connectionId })),
        total: RESULT.recommendations.length,
        limit: 10,
        offset: 0,
      },
    },
  },
  'GET /v1/scanner/recommendations/{recommendationId}': {
    parameters: { recommendationId },
    replies: {
      200: RECOMMENDATION_DETAIL,
    },
  },
  'GET /v1/scanner/recommendations/{recommendationId}/example-key': {
    parameters: { recommendationId },
    replies: { 200: { key: 'raw/2026/interview-17.mov' } },
  },
  'POST /v1/scanner/recommendations/{recommendationId}/dismiss': {
    parameters: { recommendationId },
    body: { days: 90, reason: 'The archive is read again in spring.' },
    replies: { 200: { ...RECOMMENDATION_DETAIL, dismissed: DISMISSAL } },
  },
  'DELETE /v1/scanner/recommendations/{recommendationId}/dismiss': {
    parameters: { recommendationId },
    replies: { 200: RECOMMENDATION_DETAIL },
  },
  'GET /v1/scanner/history': {
    replies: {
      200: {
        items: [
          {
            scanId,
            connectionId,
            status: 'completed',
            startedAt: '2026-11-20T12:00:00.000Z',
            completedAt: '2026-11-20T12:00:01.897Z',
            objects: 2000,
            bytes: 450_887_680_000,
            currentMonthlyCostUsd: RESULT.summary.currentMonthlyCostUsd,
            monthlySavingsUsd: 14.624654,
            verdict: RESULT.decisionReport.verdict,
            confidence: RESULT.decisionReport.confidence,
          },
        ],
      },
    },
  },
};
