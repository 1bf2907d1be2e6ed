/** What a client says of a file: how it will be used. */
export const PRIORITIES = ['hot', 'archive', 'cold'] as const;
export type Priority = (typeof PRIORITIES)[number];
