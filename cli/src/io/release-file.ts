import { createHash } from 'node:crypto';
import type { DrillCertificate, Release, ReleasedObject } from '@storage-routing/client';

/** The first line of the file of a release. */
export interface ReleaseHeader {
  readonly migrationId: string;
  readonly checkedAt: string | null;
  readonly objects: number;
  readonly bytes: number;
  readonly rootHash: string | null;
  /** SHA-256 of the fields above, as a JSON array. */
  readonly seal: string;
}

/** What shows that one object is in a tree: its leaf, and the hashes from there to the root. */
export interface InclusionProof extends ReleasedObject {
  readonly index: number;
  readonly objects: number;
  /** From the leaf's neighbour up; RFC 6962, section 2.1.1. */
  readonly path: readonly string[];
  readonly rootHash: string | null;
}

export type Verified =
  | { readonly header: ReleaseHeader; readonly proof: InclusionProof | undefined }
  | { readonly problem: string };

export function releaseHeader(
  migrationId: string,
  {
    checkedAt,
    objects,
    bytes,
    rootHash,
  }: Pick<Release, 'checkedAt' | 'objects' | 'bytes' | 'rootHash'>,
): ReleaseHeader {
  const fields = [migrationId, checkedAt, objects, bytes, rootHash];
  const seal = hashOf(JSON.stringify(fields)).toString('hex');
  return { migrationId, checkedAt, objects, bytes, rootHash, seal };
}

/**
 * Recomputes the root hash of a release from its file, and compares everything that the file says.
 * Nothing of the service is used. Every byte counts: a line must be exactly as it was written.
 *
 * @param key of the object to prove
 */
export async function verifyReleaseFile(
  lines: AsyncIterable<string>,
  key?: string,
): Promise<Verified> {
  let header: ReleaseHeader | undefined;
  let proven: { readonly object: ReleasedObject; readonly index: number } | undefined;
  let previous: Buffer | undefined;
  let bytes = 0;
  const leaves: Buffer[] = [];
  for await (const line of lines) {
    if (header === undefined) {
      header = readHeader(line);
      if (header === undefined) return { problem: 'the first line is not as it was written' };
      continue;
    }
    const object = readObject(line);
    const where = `line ${leaves.length + 2}`;
    if (object === undefined) return { problem: `${where} is not as it was written` };
    const name = Buffer.from(object.key);
    if (previous !== undefined && Buffer.compare(previous, name) >= 0)
      return { problem: `${where} is out of order` };
    previous = name;
    if (object.key === key) proven = { object, index: leaves.length };
    bytes += object.bytes;
    leaves.push(leafOf(object));
  }
  if (header === undefined) return { problem: 'the file is empty' };
  if (leaves.length !== header.objects || bytes !== header.bytes)
    return {
      problem: `it has ${leaves.length} objects of ${bytes} bytes, not what its first line says`,
    };
  const rootHash = leaves.length === 0 ? null : rootOf(leaves).toString('hex');
  if (rootHash !== header.rootHash) return { problem: 'its root hash is another one' };
  const proof = proven && {
    ...proven.object,
    index: proven.index,
    objects: leaves.length,
    path: pathOf(leaves, proven.index).map((hash) => hash.toString('hex')),
    rootHash,
  };
  return { header, proof };
}

/**
 * Recomputes the root hash of a drill from its certificate as JSON. Nothing of the service is used.
 *
 * @returns the SHA-256 of the text, which `certificateSha256` must be, and what it holds
 */
export function verifyCertificate(text: string) {
  const { drillId, results, objects = [] } = parse(text) as Partial<DrillCertificate>;
  if (drillId === undefined || results === undefined) return { problem: 'it is no certificate' };
  const names = objects.map(({ key }) => Buffer.from(key));
  const isInOrder = names.every((name, at) => Buffer.compare(names[at - 1] ?? name, name) <= 0);
  if (!isInOrder) return { problem: 'its objects are out of order' };
  if (objects.length !== results.equal)
    return { problem: `it has ${objects.length} objects, not ${results.equal}` };
  const leaves = objects.map(leafOf);
  const rootHash = leaves.length === 0 ? null : rootOf(leaves).toString('hex');
  if (rootHash !== results.rootHash) return { problem: 'its root hash is another one' };
  return { drillId, objects: objects.length, rootHash, sha256: hashOf(text).toString('hex') };
}

function readHeader(line: string): ReleaseHeader | undefined {
  const { migrationId, ...read } = parse(line) as Partial<ReleaseHeader>;
  const { checkedAt = null, objects = 0, bytes = 0, rootHash = null } = read;
  const header = releaseHeader(migrationId ?? '', { checkedAt, objects, bytes, rootHash });
  return JSON.stringify(header) === line ? header : undefined;
}

function readObject(line: string): ReleasedObject | undefined {
  const { key = '', etag = '', bytes = 0, sha256 = null } = parse(line) as Partial<ReleasedObject>;
  const object = { key, etag, bytes, sha256 };
  return JSON.stringify(object) === line ? object : undefined;
}

function parse(line: string): object {
  try {
    const read: unknown = JSON.parse(line);
    return typeof read === 'object' && read !== null ? read : {};
  } catch {
    return {};
  }
}

function leafOf({ key, etag, sha256, bytes }: ReleasedObject): Buffer {
  return hashOf(Buffer.of(0), JSON.stringify([key, etag, sha256, bytes]));
}

function rootOf(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (leaves.length === 1 && only) return only;
  const middle = largestPowerBelow(leaves.length);
  return hashOf(Buffer.of(1), rootOf(leaves.slice(0, middle)), rootOf(leaves.slice(middle)));
}

function pathOf(leaves: readonly Buffer[], index: number): readonly Buffer[] {
  if (leaves.length <= 1) return [];
  const middle = largestPowerBelow(leaves.length);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return index < middle
    ? [...pathOf(left, index), rootOf(right)]
    : [...pathOf(right, index - middle), rootOf(left)];
}

/** The largest power of two that is smaller than a number of at least 2. */
function largestPowerBelow(count: number): number {
  return 2 ** Math.ceil(Math.log2(count) - 1);
}

function hashOf(...parts: readonly (Buffer | string)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
