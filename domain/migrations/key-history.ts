import { isMigrated, type LedgerLine } from './object-ledger.ts';

/** A line about one key at the target, of any round of any migration of the account. */
export interface LineOfKey {
  readonly line: LedgerLine;
  readonly migrationId: string;
  /** False: another source's migration whose place holds the key too. */
  readonly isOfSource: boolean;
  /** A release check that began in the line's round or later has ended as ready. */
  readonly isReleased: boolean;
}

/** What the ledgers say of one key at the target. */
export interface KeyHistory {
  /** This migration's latest line; null: it has none. */
  readonly latest: LedgerLine | null;
  /** This migration's latest line that is not failed, if it left the object at the target. */
  readonly held: LedgerLine | null;
  /** The line whose ETag identifies the account's own copy of this source object. */
  readonly written: CopiedLine | null;
  /** This migration wrote `written`, and no other migration relies on it: it may be removed. */
  readonly isRemovable: boolean;
  /** A release has given up the object at a source: it may be the only copy. */
  readonly isReleased: boolean;
}

/** A line of an object that was written, with the ETag that the target gave it. */
export type CopiedLine = LedgerLine & { readonly targetEtag: string };

/**
 * Whose the object under a key is. Metadata says nothing of it: any writer may keep, copy or set
 * it. Failed and skipped lines are passed over.
 *
 * | lines of the same source object, by time | another source's migration | `written`    |
 * | ---------------------------------------- | -------------------------- | ------------ |
 * | none copied                              | any                        | null         |
 * | …, copied                                | no copied or skipped line  | the last one |
 * | …, copied                                | copied or skipped it       | null         |
 * | …, copied, removed                       | any                        | null         |
 */
export function toHistory(lines: readonly LineOfKey[], migrationId: string): KeyHistory {
  const ordered = lines.toSorted((a, b) => Date.parse(a.line.at) - Date.parse(b.line.at));
  const standing = new Map<string, LineOfKey>();
  const released = new Map<string, boolean>();
  let latest: LedgerLine | null = null;
  let written: { readonly line: CopiedLine; readonly by: string } | null = null;
  for (const each of ordered) {
    const { line, migrationId: by } = each;
    if (by === migrationId) latest = line;
    if (line.outcome === 'failed') continue;
    standing.set(by, each);
    if (each.isReleased) released.set(by, isMigrated(line));
    if (!each.isOfSource) continue;
    if (line.outcome === 'removed') written = null;
    else if (isCopied(line)) written = { line, by };
  }
  const own = standing.get(migrationId)?.line;
  const others = [...standing.values()].filter(
    (each) => each.migrationId !== migrationId && isMigrated(each.line),
  );
  if (others.some(({ isOfSource }) => !isOfSource)) written = null;
  return {
    latest,
    held: own && isMigrated(own) ? own : null,
    written: written?.line ?? null,
    isRemovable: written?.by === migrationId && others.length === 0,
    isReleased: [...released.values()].includes(true),
  };
}

/** Whether the line identifies an object that was written. */
export function isCopied(line: LedgerLine): line is CopiedLine {
  return line.outcome === 'copied' && line.targetEtag !== null && line.targetEtag !== '';
}
