/** How a client expects to use a file. */
export const PRIORITIES = ['hot', 'archive', 'cold'] as const;
export type Priority = (typeof PRIORITIES)[number];
