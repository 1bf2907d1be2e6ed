import { createHash } from 'node:crypto';
import { isMigrated, type LedgerLine } from './object-ledger.ts';
import type { MigrationError } from './migration.ts';

/** Why an object of the source may not be given up. */
export const RELEASE_DIFFERENCES = [
  /** It came after the latest round. */
  'new',
  /** It has been replaced since it was copied. */
  'changed',
  'not_copied',
  'target_missing',
  'target_differs',
] as const;
export type ReleaseDifference = (typeof RELEASE_DIFFERENCES)[number];

export const RELEASE_STATUSES = ['checking', 'ready', 'not_ready', 'failed'] as const;
export type ReleaseStatus = (typeof RELEASE_STATUSES)[number];

/** Why a check that compared everything is not ready all the same. */
export const ROUND_SINCE: MigrationError = {
  code: 'round_since',
  message: 'A round has begun since the check began. Check again.',
};
export const ROUTED: MigrationError = {
  code: 'routed',
  message:
    'The source holds files of this service: uploads that it has routed there. They are read there, so their objects are not given up.',
};

/** How long the result of a check holds. */
export const RELEASE_HOURS = 24;

/** An object that the source holds and that is proven to be at the target. */
export interface ReleasedObject {
  readonly key: string;
  readonly etag: string;
  readonly bytes: number;
  /** As the copy computed it, in lower-case hex; null if the target held an equal object before. */
  readonly sha256: string | null;
}

/** An object as a listing shows it. */
interface ListedSide {
  readonly etag: string;
  readonly sizeBytes: number;
}

/**
 * Compares an object of the source with the ledger and with the target.
 *
 * | the ledger's latest line         | at the target            | answer           |
 * | -------------------------------- | ------------------------ | ---------------- |
 * | none, or it was removed          | any                      | `new`            |
 * | failed                           | any                      | `not_copied`     |
 * | copied or skipped, another ETag  | any                      | `changed`        |
 * | copied or skipped                | nothing                  | `target_missing` |
 * | copied or skipped                | another ETag or size     | `target_differs` |
 * | copied or skipped                | the line's ETag and size | null             |
 */
export function compareForRelease(
  source: ListedSide,
  line: LedgerLine | null,
  target: ListedSide | null,
): ReleaseDifference | null {
  if (!line || line.outcome === 'removed') return 'new';
  if (!isMigrated(line)) return 'not_copied';
  if (line.sourceEtag !== source.etag || line.bytes !== source.sizeBytes) return 'changed';
  if (!target) return 'target_missing';
  const isSame = target.etag === line.targetEtag && target.sizeBytes === line.bytes;
  return isSame ? null : 'target_differs';
}

export function toReleased({ key, sourceEtag, bytes, sha256 }: LedgerLine): ReleasedObject {
  return { key, etag: sourceEtag, bytes, sha256 };
}

/** A check in progress, or its result. */
export interface Release {
  readonly releaseId: string;
  readonly migrationId: string;
  readonly accountId: string;
  /** The latest round when the check began; a later round ends its validity. */
  readonly round: number;
  readonly status: ReleaseStatus;
  /** The `sub` of the person. */
  readonly startedBy: string;
  readonly startedByName: string;
  readonly requestedAt: Date;
  readonly checkedAt: Date | null;
  /** What has been compared so far. */
  readonly pages: number;
  readonly after: string | null;
  readonly objects: number;
  readonly bytes: number;
  readonly differences: number;
  /** The roots of complete subtrees, the largest first. */
  readonly tree: readonly TreeNode[];
  /** Whether the source keeps versions; null: not known. */
  readonly versioned: boolean | null;
  readonly error: MigrationError | null;
}

/** The root of a complete subtree of a Merkle tree, in lower-case hex. */
export interface TreeNode {
  /** The number of its leaves is two to the power of this. */
  readonly height: number;
  readonly hash: string;
}

/** Adds leaves to a Merkle tree that is kept as the roots of its complete subtrees. */
export function growTree(
  tree: readonly TreeNode[],
  objects: readonly ReleasedObject[],
): readonly TreeNode[] {
  const nodes = [...tree];
  for (const object of objects) {
    let node: TreeNode = { height: 0, hash: hashLeaf(object) };
    for (let last = nodes.at(-1); last?.height === node.height; last = nodes.at(-1)) {
      nodes.pop();
      node = { height: node.height + 1, hash: hashPair(last.hash, node.hash) };
    }
    nodes.push(node);
  }
  return nodes;
}

/**
 * The root of a Merkle tree as RFC 6962 defines it, with SHA-256; null without leaves. `srs
 * verify-release` computes it apart from this.
 */
export function rootOf(tree: readonly TreeNode[]): string | null {
  return tree.reduceRight<string | null>(
    (right, { hash }) => (right === null ? hash : hashPair(hash, right)),
    null,
  );
}

/** The leaf of an object: its key, ETag, SHA-256 and bytes as a JSON array. */
function hashLeaf({ key, etag, sha256, bytes }: ReleasedObject): string {
  const leaf = JSON.stringify([key, etag, sha256, bytes]);
  return createHash('sha256').update('\0').update(leaf).digest('hex');
}

function hashPair(left: string, right: string): string {
  const pair = Buffer.from(left + right, 'hex');
  return createHash('sha256').update('\x01').update(pair).digest('hex');
}
