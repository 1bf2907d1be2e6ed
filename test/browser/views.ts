/** The views that axe looks at and the screenshots show: the title, and a path. */
export const VIEWS = [
  ['Overview', '/dashboard'],
  ['Usage', '/dashboard/usage'],
  ['Providers', '/dashboard/providers'],
  ['Key', '/dashboard/key'],
  ['Plan', '/dashboard/plan'],
] as const;
