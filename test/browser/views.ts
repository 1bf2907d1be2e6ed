/** The views that axe looks at and the screenshots show: the title, and a path. Tests end with the last. */
export const VIEWS = [
  ['Overview', '/dashboard'],
  ['Audit', '/dashboard/audit'],
  ['Connect an AWS account', '/dashboard/audit/connect'],
  ['Providers', '/dashboard/providers'],
] as const;
