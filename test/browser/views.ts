/** The views that axe looks at and the screenshots show: the title, and a path. */
export const VIEWS = [
  ['Overview', '/dashboard'],
  ['Usage', '/dashboard/usage'],
  ['Providers', '/dashboard/providers'],
  ['Key', '/dashboard/key'],
  ['Audit', '/dashboard/audit'],
  ['Connect an AWS account', '/dashboard/audit/connect'],
  ['Connect a store', '/dashboard/audit/connect/store'],
  ['Recommendations', '/dashboard/recommendations'],
  ['Migrations', '/dashboard/migrations'],
  ['Exit drills', '/dashboard/drills'],
  ['Webhooks', '/dashboard/webhooks'],
  ['Activity', '/dashboard/activity'],
  ['Plan', '/dashboard/plan'],
] as const;
