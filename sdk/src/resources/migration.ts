import type { Provider } from './files.ts';
import type { Quote, Selector } from './scan-result.ts';

/** Types of migrations. Money is in USD, with at most six decimals; times are RFC 3339. */

/** Final: `completed`, `completed_with_failures`, `failed`, `cancelled`. Before `cancelled`: `cancelling`. */
export type MigrationStatus =
  | 'queued'
  | 'planning'
  | 'copying'
  | 'verifying'
  | 'cancelling'
  | 'completed'
  | 'completed_with_failures'
  | 'failed'
  | 'cancelled';

/** The answer to an approval; an equal approval gets the same answer. */
export interface ApprovedMigration {
  migrationId: string;
  recommendationId: string;
  targetProvider: Provider;
  status: 'queued';
  /** The approved quote. The migration ends before its first copy where its cost exceeds the quote by over 10 %. */
  quote: Quote;
  approvedBy: string;
  approvedAt: string;
}

/** Attributes of source objects that a target cannot store. */
export interface NotCarried {
  what: 'tags' | 'lock';
  objects: number;
}

export interface Migration {
  migrationId: string;
  recommendationId: string;
  status: MigrationStatus;
  source: { bucket: string; region: string; selector: Selector };
  /** The target key of an object is `keyPrefix` followed by its source key. */
  target: { provider: Provider; bucketName: string; keyPrefix: string };
  quote: Quote;
  approvedBy: string;
  approvedAt: string;
  progress: {
    objectsTotal: number;
    objectsCopied: number;
    /** At the target, and equal, before the migration. */
    objectsSkipped: number;
    objectsFailed: number;
    bytesTotal: number;
    /** Confirmed by the target, parts of objects in flight included. An object that is sent again counts again. */
    bytesCopied: number;
    /** By bytes; null until the manifest is complete. */
    percent: number | null;
    /** Average of the last 30 s; 0 while nothing is copied. */
    bytesPerSecond: number;
    etaSeconds: number | null;
  };
  /** At most 100; the report has all of them. */
  failures: { key: string; code: string; reason: string; attempts: number }[];
  notCarried: NotCarried[];
  /** The result of later scans of the same connection; null before the first of them. */
  realised: { state: 'copied_not_yet_saved' | 'saved'; asOf: string; monthlyUsd: number } | null;
  startedAt: string | null;
  updatedAt: string;
  completedAt: string | null;
  /** The reason, where the status is `failed`. */
  error: { code: string; message: string } | null;
}

/** A migration in the list, as stored. */
export interface ListedMigration {
  migrationId: string;
  recommendationId: string;
  bucket: string;
  prefix: string | null;
  targetProvider: Provider;
  status: MigrationStatus;
  objectsTotal: number;
  bytesTotal: number;
  /** By bytes; null until the manifest is complete. */
  percent: number | null;
  /** The one-time cost that was approved. */
  quoteTotalUsd: number;
  /** Of the approved option. */
  monthlySavingsUsd: number;
  approvedBy: string;
  approvedAt: string;
  completedAt: string | null;
  realised: Migration['realised'];
}

/** The outcome of one object: a line of the migration report. */
export interface ReportedObject {
  key: string;
  targetKey: string;
  bytes: number;
  sourceEtag: string;
  /** Of the copied bytes, in lower-case hex; null where nothing was copied. */
  sha256: string | null;
  targetEtag: string | null;
  outcome: 'copied' | 'skipped' | 'failed';
  /** True where it replaced an object that an earlier migration of this account wrote. */
  replaced?: true;
  /** Present where the object failed. */
  code?: string;
  attempts: number;
  at: string;
}

/** The last line of the report of a migration that has ended. */
export interface MigrationSummary {
  migrationId: string;
  status: MigrationStatus;
  objectsTotal: number;
  objectsCopied: number;
  objectsSkipped: number;
  objectsFailed: number;
  bytesTotal: number;
  bytesCopied: number;
  notCarried: NotCarried[];
  /** Whether the source bucket uses ACLs, which are not copied. */
  acls: 'none' | 'not_carried' | 'unknown';
  startedAt: string | null;
  completedAt: string | null;
}

/** `'key' in line` distinguishes the two. */
export type ReportLine = ReportedObject | MigrationSummary;
