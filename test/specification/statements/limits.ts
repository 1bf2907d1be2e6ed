import { acceptance, integration, type Section } from '../statement.ts';

const LIMITED =
  'a service with low rate limits refuses a key beyond its limit with 429 and how long to wait';
const LISTED =
  'Analytics list where files went, the newest first, and a page is a part of the list';
const AT_MOST = 'Analytics take the least and the most that a page may be asked for';

export const LIMITS: Section = {
  heading: 'Limits',
  statements: [
    {
      id: 'limits.url-lifetime',
      quote: '| Presigned PUT URL lifetime | about 1 hour | upload init |',
      says: 'A presigned PUT URL lives about an hour.',
      heldBy: [
        ...acceptance(
          'presigned-url',
          'The presigned URL of an upload lives for an hour, as expiresAt says',
        ),
        ...integration(
          'adapters/object-stores',
          'the object stores an object store: the AWS double refuses once its time is over',
        ),
      ],
    },
    {
      id: 'limits.limit',
      quote: '| `limit` | default 10, max 50 | routing history |',
      says: '`limit` is 10 by default, 50 at most.',
      heldBy: acceptance('analytics', LISTED, AT_MOST, 'Analytics refuse limit=51'),
    },
    {
      id: 'limits.offset',
      quote: '| `offset` | default 0, max 10000 | routing history |',
      says: '`offset` is 0 by default, 10000 at most.',
      heldBy: acceptance('analytics', LISTED, AT_MOST, 'Analytics refuse offset=10001'),
    },
    {
      id: 'limits.pagination',
      quote: 'Pagination is limit/offset only;',
      says: 'Pages are asked for by `limit` and `offset` only.',
      heldBy: acceptance('analytics', LISTED, 'Analytics refuse page=2'),
    },
    {
      id: 'limits.no-cursors',
      quote: 'cursor or page-token pagination does not exist',
      says: 'There are no cursors and no page tokens.',
      heldBy: acceptance('analytics', 'Analytics refuse cursor=x', 'Analytics refuse pageToken=x'),
    },
    {
      id: 'limits.retry-after',
      quote: '| Rate-limit retry wait | `Retry-After: 60` | any rate-limited call |',
      says: 'Any rate-limited call: `Retry-After: 60`.',
      heldBy: integration('api/rate-limit', LIMITED),
    },
    {
      id: 'limits.rate-thresholds',
      quote: 'Rate-limit thresholds and windows: not shown.',
      says: 'Windows of one UTC minute; as many as configured, and no more.',
      settledBy: 'section 2',
      heldBy: integration(
        'api/rate-limit',
        'the rate limiter begins anew with each UTC minute, and not before',
        'the rate limiter lets exactly 600 through in one process, however many come at once',
      ),
    },
    {
      id: 'limits.plan-quotas',
      quote: 'Plan quota values: not shown.',
      says: 'Each plan has its quota of gigabytes and uploads.',
      settledBy: 'section 9',
      heldBy: acceptance('account', 'Who am I tells the quotas of the plan'),
    },
    {
      id: 'limits.file-size',
      quote: 'Maximum file size: not shown.',
      says: 'A file is at most what a single PUT takes, per provider.',
      settledBy: 'sections 2 and 3',
      heldBy: acceptance('routing', 'Routing by what a single PUT takes refuses what …'),
    },
  ],
};
