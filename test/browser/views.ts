/** The views that axe looks at and the screenshots show: the title, and a path. */
export const VIEWS = [
  ['Overview', '/dashboard'],
  ['Providers', '/dashboard/providers'],
  ['Recommendations', '/dashboard/recommendations'],
  ['Migrations', '/dashboard/migrations'],
] as const;
