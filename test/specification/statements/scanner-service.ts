import { acceptance, integration, unit, type Statement } from '../statement.ts';

export const SCANNER_SERVICE: readonly Statement[] = [
  {
    id: 'scanner.read-only-role',
    quote: 'a customer connects a cloud account through an assumable read-only role',
    says: 'A cloud account is connected through an assumable read-only role.',
    heldBy: [
      ...integration(
        'scan/connect',
        'connecting a cloud account narrows the session to the reads of a scan, whatever the role may do',
      ),
      ...integration(
        'scan/reads',
        'what a scan reads makes exactly the calls that the role allows, each of them',
      ),
    ],
  },
  {
    id: 'scanner.lists-classifies-compares',
    quote: 'The service lists buckets and objects, classifies them, and compares cost',
    says: 'It lists buckets and objects, classifies them, compares with the optimal placement.',
    heldBy: [
      ...acceptance('scanner', 'The scanner has sums that agree with one another'),
      ...integration(
        'scan/figures',
        'the figures of a scan are the ones that a second reckoning makes of the listing, to the micro-dollar',
      ),
      ...unit('domain/inventory/classify', 'object classification …'),
    ],
  },
  {
    id: 'scanner.recommends',
    quote: 'It produces recommendations.',
    says: 'A scan produces recommendations.',
    heldBy: integration(
      'scan/figures',
      'the figures of a scan recommend something of each kind here, so that each was looked at',
    ),
  },
  {
    id: 'scanner.decision-report-when-enabled',
    quote: 'When enabled, it also maps the scan to a workload profile',
    says: 'When enabled: a workload profile and a decision report.',
    heldBy: [
      ...unit('domain/decision/report', 'the report calls …'),
      ...unit(
        'activities/scan-conclusion',
        'the conclusion of a scan without the decision report says all the rest',
      ),
    ],
  },
  {
    id: 'migration.explicit-approval',
    quote: 'only after an explicit approval call naming a target provider',
    says: 'A migration needs an approval that names a target provider.',
    heldBy: [
      ...acceptance(
        'migration',
        'A migration is approved with 202, and by five at once as by one',
        'A migration cannot be approved where there is none, or where it is not a move',
      ),
      ...integration(
        'migration/approval',
        'the approval of a move is bound to one target, and that is not the source',
      ),
    ],
  },
  {
    id: 'migration.never-by-itself',
    quote: 'Migrations never start automatically.',
    says: 'Migrations never start automatically.',
    heldBy: [
      ...acceptance('migration', 'A migration does not begin without an approval'),
      ...integration(
        'recommendation-life',
        'the life of a recommendation is open for 30 days, and expires then by the workflow that waited',
      ),
    ],
  },
  {
    id: 'migration.stored-credentials',
    quote: "The copy uses the customer's stored router credentials.",
    says: "The copy uses the customer's stored router credentials.",
    heldBy: integration(
      'migration/faults',
      'a migration while things go wrong goes on with credentials that were replaced in the middle',
      "a migration while things go wrong stops where the target's credentials are revoked in the middle, and says whose",
    ),
  },
];
