import type { Statement } from '../statement.ts';

export const SCANNER_SERVICE: readonly Statement[] = [
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
];
