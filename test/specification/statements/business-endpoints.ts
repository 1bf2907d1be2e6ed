import type { Statement } from '../statement.ts';

export const BUSINESS_ENDPOINTS: readonly Statement[] = [
  {
    id: 'endpoint.analytics-summary',
    quote: '| GET | `/v1/analytics/summary` |',
    says: 'What was routed and saved so far, and how the files stand.',
    settledBy: 'section 8',
  },
  {
    id: 'endpoint.analytics-monthly',
    quote: '| GET | `/v1/analytics/monthly` |',
    says: 'The last twelve months, the oldest first.',
    settledBy: 'section 8',
  },
  {
    id: 'endpoint.analytics-routing-history',
    quote: '| GET | `/v1/analytics/routing-history` |',
    says: 'Routing history takes `limit`, `offset`; answers `items`, `total`, `limit`, `offset`.',
  },
  {
    id: 'endpoint.analytics-routing-history-items',
    quote: '`items`, `total`, `limit`, `offset`; item fields not shown',
    says: 'An item shows the file, where it went, what was saved, any warning.',
    settledBy: 'section 8',
  },
  {
    id: 'endpoint.billing-checkout',
    quote: '| POST | `/v1/billing/checkout` | JWT | `plan` (string;',
    says: 'Checkout takes a `plan`, and opens a page to buy it.',
    settledBy: 'section 9',
  },
  {
    id: 'endpoint.billing-checkout-starter',
    quote: '`starter` is a value;',
    says: '`starter` can be bought.',
  },
  {
    id: 'endpoint.billing-checkout-plans',
    quote: 'other values not shown)',
    says: '`growth` can be bought too, and no other plan.',
    settledBy: 'section 9',
  },
  {
    id: 'endpoint.billing-portal',
    quote: '| POST | `/v1/billing/portal` |',
    says: 'The portal opens to whom has bought something.',
    settledBy: 'section 9',
  },
];
