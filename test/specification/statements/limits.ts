import type { Section } from '../statement.ts';

export const LIMITS: Section = {
  heading: 'Limits',
  statements: [
    {
      id: 'limits.url-lifetime',
      quote: '| Presigned PUT URL lifetime | about 1 hour | upload init |',
      says: 'A presigned PUT URL lives about an hour.',
    },
    {
      id: 'limits.limit',
      quote: '| `limit` | default 10, max 50 | routing history |',
      says: '`limit` is 10 by default, 50 at most.',
    },
    {
      id: 'limits.offset',
      quote: '| `offset` | default 0, max 10000 | routing history |',
      says: '`offset` is 0 by default, 10000 at most.',
    },
    {
      id: 'limits.pagination',
      quote: 'Pagination is limit/offset only;',
      says: 'Pages are asked for by `limit` and `offset` only.',
    },
    {
      id: 'limits.no-cursors',
      quote: 'cursor or page-token pagination does not exist',
      says: 'There are no cursors and no page tokens.',
    },
    {
      id: 'limits.retry-after',
      quote: '| Rate-limit retry wait | `Retry-After: 60` | any rate-limited call |',
      says: 'Any rate-limited call: `Retry-After: 60`.',
    },
    {
      id: 'limits.rate-thresholds',
      quote: 'Rate-limit thresholds and windows: not shown.',
      says: 'Windows of one UTC minute; as many as configured, and no more.',
      settledBy: 'section 2',
    },
    {
      id: 'limits.plan-quotas',
      quote: 'Plan quota values: not shown.',
      says: 'Each plan has its quota of gigabytes and uploads.',
      settledBy: 'section 9',
    },
    {
      id: 'limits.file-size',
      quote: 'Maximum file size: not shown.',
      says: 'A file is at most what a single PUT takes, per provider.',
      settledBy: 'sections 2 and 3',
    },
  ],
};
