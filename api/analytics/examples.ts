import { type Examples, ROUTING, SAMPLE } from '../http/examples.ts';

const ROUTED = { gbRouted: 0.000048213, savedVsAwsUsd: 0.000005 };
const BY_PROVIDER = [{ provider: 'r2', files: 1, ...ROUTED }];
const MONTHS = 12;
const HISTORY_ITEM = {
  fileId: SAMPLE.fileId,
  fileName: 'chart.png',
  fileSizeBytes: 48_213,
  priority: 'hot',
  provider: 'r2',
  preferredProvider: 'r2',
  status: 'active',
  savedVsAwsUsd: 0.000005,
  routingWarning: null,
  createdAt: '2026-11-20T12:00:00.000Z',
};

export const ANALYTICS_EXAMPLES: Examples = {
  'GET /v1/analytics/summary': {
    replies: {
      200: {
        files: { pending: 0, active: 1, deleted: 0, expired: 0 },
        ...ROUTED,
        byProvider: BY_PROVIDER,
        currentMonth: { month: '2026-11', uploads: 1, ...ROUTED },
      },
    },
  },
  'GET /v1/analytics/monthly': {
    replies: {
      200: {
        months: Array.from({ length: MONTHS }, (_, index) => {
          const month = new Date(Date.UTC(2025, 11 + index)).toISOString().slice(0, 7);
          return index === MONTHS - 1
            ? { month, uploads: 1, ...ROUTED, byProvider: BY_PROVIDER }
            : { month, uploads: 0, gbRouted: 0, savedVsAwsUsd: 0, byProvider: [] };
        }),
      },
    },
  },
  'GET /v1/analytics/routing-history': {
    parameters: { limit: 10, offset: 0 },
    replies: {
      200: {
        items: [HISTORY_ITEM],
        total: 1,
        limit: 10,
        offset: 0,
      },
    },
  },
  'GET /v1/analytics/routing-history/{fileId}': {
    parameters: { fileId: SAMPLE.fileId },
    replies: { 200: { ...HISTORY_ITEM, routing: ROUTING } },
  },
};
