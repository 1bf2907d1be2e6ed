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
};

const REPORT =
  '# Move\n\n$6.52 of $9.66 a month can be saved.\n\n- Most of it is cheaper elsewhere: moving 450.89 GB of 450.89 GB pays within the horizon.\n- 1 recommendation would save $6.52 of $9.66 a month.\n- They cost $37.79 once, paid for after 5.8 months.\n';

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
  'GET /v1/scanner/connections': { replies: { 200: { items: [CONNECTION] } } },
  'DELETE /v1/scanner/connections/{connectionId}': { parameters: { connectionId }, replies: {} },
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
      200: {
        ...RESULT.recommendations[0],
        scanId,
        connectionId,
        horizonMonths: RESULT.decisionReport.horizonMonths,
        assumptions: RESULT.decisionReport.assumptions,
        readScenarios: READ_SCENARIOS,
      },
    },
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
            monthlySavingsUsd: 6.524534,
            verdict: RESULT.decisionReport.verdict,
            confidence: RESULT.decisionReport.confidence,
          },
        ],
      },
    },
  },
};
