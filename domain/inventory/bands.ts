/** The categories of a scan's objects. Every list is in the order in which it is shown. */

/** Ages in whole days since LastModified, half-open: `[30, 90)`. */
export const AGE_BANDS = ['0-30', '30-90', '90-365', '365+'] as const;
export type AgeBand = (typeof AGE_BANDS)[number];
/** An index into `AGE_BANDS`. */
export type AgeBandIndex = 0 | 1 | 2 | 3;
export const AGE_BAND_INDEXES = [0, 1, 2, 3] as const satisfies readonly AgeBandIndex[];
/** The first day of each age band, and with that the end of the one before. */
export const AGE_BAND_FIRST_DAY = [0, 30, 90, 365] as const;

export const SIZE_BANDS = ['<128KiB', '128KiB-1MiB', '1MiB-64MiB', '64MiB-5GiB', '>5GiB'] as const;
export type SizeBand = (typeof SIZE_BANDS)[number];
/** The end of each size band but the last in bytes, half-open. */
export const SIZE_BAND_ENDS = [2 ** 17, 2 ** 20, 2 ** 26, 5 * 2 ** 30] as const;

/** Below this a class with a minimum size bills more than is stored. */
export const SMALL_OBJECT_BYTES = 2 ** 17;

/** Old versions that have been noncurrent for less time may still be needed. */
export const DELETABLE_AFTER_DAYS = 30;
/** Uploads that began later may still be under way. */
export const ABORTABLE_AFTER_DAYS = 7;

export const CONTENT_KINDS = [
  'image',
  'video',
  'audio',
  'document',
  'archive',
  'log',
  'data',
  'backup',
  'other',
] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** Prefixes with groups of their own in one bucket; all others form one group. */
export const MAX_PREFIXES = 50;
/** The prefix of that group, which also holds the keys without a first segment. */
export const REST_PREFIX = '*';
