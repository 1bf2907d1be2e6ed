import { acceptance, integration, type Statement } from '../statement.ts';
import { everywhere } from './everywhere.ts';

const LISTED =
  'Analytics list where files went, the newest first, and a page is a part of the list';
const OF_ALL =
  "the figures of an account of 60 uploads, completed three times at once and deleted, are the ledger's, though the worker dies";

/** What the account has used, and what it pays for. */
export const BUSINESS_ENDPOINTS: readonly Statement[] = [
  {
    id: 'endpoint.analytics-summary',
    quote: '| GET | `/v1/analytics/summary` |',
    says: 'What was routed and saved so far, and how the files stand.',
    settledBy: 'section 8',
    heldBy: [
      ...acceptance(
        'analytics',
        'Analytics count an upload when it is completed, and keep it when it is deleted',
        'Analytics add up: providers to the total, the months to it, the states to the files',
        'Analytics show another account nothing of this one',
      ),
      ...integration('service/analytics', OF_ALL),
      ...everywhere('GET /v1/analytics/summary'),
    ],
  },
  {
    id: 'endpoint.analytics-monthly',
    quote: '| GET | `/v1/analytics/monthly` |',
    says: 'The last twelve months, the oldest first.',
    settledBy: 'section 8',
    heldBy: [
      ...acceptance(
        'analytics',
        'Analytics show twelve months, the oldest first, the last one being this',
      ),
      ...everywhere('GET /v1/analytics/monthly'),
    ],
  },
  {
    id: 'endpoint.analytics-routing-history',
    quote: '| GET | `/v1/analytics/routing-history` |',
    says: 'Routing history takes `limit`, `offset`; answers `items`, `total`, `limit`, `offset`.',
    heldBy: [
      ...acceptance('analytics', LISTED),
      ...everywhere('GET /v1/analytics/routing-history'),
    ],
  },
  {
    id: 'endpoint.analytics-routing-history-items',
    quote: '`items`, `total`, `limit`, `offset`; item fields not shown',
    says: 'An item shows the file, where it went, what was saved, any warning.',
    settledBy: 'section 8',
    heldBy: acceptance('analytics', LISTED),
  },
  {
    id: 'endpoint.billing-checkout',
    quote: '| POST | `/v1/billing/checkout` | JWT | `plan` (string;',
    says: 'Checkout takes a `plan`, and opens a page to buy it.',
    settledBy: 'section 9',
    heldBy: [
      ...acceptance(
        'billing',
        'Billing opens a checkout of a plan that is sold, or says that nothing is',
        'Billing does not take a checkout that is open for a payment',
      ),
      ...integration(
        'service/billing',
        'billing a checkout is opened for the plan, and says whose it is',
        'without billing its routes say so, after everything else that is wrong with a call',
      ),
      ...everywhere('POST /v1/billing/checkout'),
    ],
  },
  {
    id: 'endpoint.billing-checkout-starter',
    quote: '`starter` is a value;',
    says: '`starter` can be bought.',
    heldBy: [
      ...acceptance(
        'billing',
        'Billing opens a checkout of a plan that is sold, or says that nothing is',
      ),
      ...integration(
        'service/billing',
        'billing a plan that was bought counts for the next upload',
      ),
    ],
  },
  {
    id: 'endpoint.billing-checkout-plans',
    quote: 'other values not shown)',
    says: '`growth` can be bought too, and no other plan.',
    settledBy: 'section 9',
    heldBy: [
      ...acceptance('billing', 'Billing refuses a plan that is not sold, and names the field'),
      ...integration(
        'service/billing',
        'billing a checkout is refused for a plan that is not sold',
      ),
    ],
  },
  {
    id: 'endpoint.billing-portal',
    quote: '| POST | `/v1/billing/portal` |',
    says: 'The portal opens to whom has bought something.',
    settledBy: 'section 9',
    heldBy: [
      ...acceptance(
        'billing',
        'Billing opens the portal to whom has bought something, or says that nobody can',
      ),
      ...integration('service/billing', 'billing the portal …'),
      ...everywhere('POST /v1/billing/portal'),
    ],
  },
];
