/** The views that axe looks at and the screenshots show: the title, and a path. */
export const VIEWS = [
  ['Overview', '/dashboard'],
  ['Providers', '/dashboard/providers'],
  ['Audit', '/dashboard/audit'],
  ['Connect an AWS account', '/dashboard/audit/connect'],
  ['Recommendations', '/dashboard/recommendations'],
  ['Migrations', '/dashboard/migrations'],
] as const;
