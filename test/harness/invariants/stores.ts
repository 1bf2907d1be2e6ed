import {
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  type MultipartUpload,
} from '@aws-sdk/client-s3';
import { idsOf, type StoredFile } from './files.ts';
import { violationOf, type Evidence, type OwnedBucket, type Violation } from './invariant.ts';

/** A copy may be repeated once: its worker died after the write and before the ledger line. */
const MOST_COPIES = 2;
/** The double keeps the latest 100,000 requests. */
const KEPT_REQUESTS = 100_000;
const WRITES = new Set(['PutObject', 'CompleteMultipartUpload']);

const UPLOADS = 'uploads/';
const DRILLS = 'drill/';

interface StoredDrill {
  readonly _id: string;
}

interface StoredMigration {
  readonly _id: string;
  readonly accountId: string;
  readonly completedAt: Date | null;
}

interface StoredApproval {
  readonly _id: string;
  readonly accountId: string;
  readonly approval: {
    readonly target: { readonly bucketName: string };
  } | null;
}

/**
 * `acknowledged`: an active file has its object, a deleted or expired one has none. `moved`: no file
 * has an object elsewhere, unless it waits for its delete.
 */
export async function checkObjects(
  { uploads }: Evidence,
  files: readonly StoredFile[],
): Promise<Violation[]> {
  const listed = await Promise.all(
    uploads.map(async (bucket) => [bucket.name, await listObjects(bucket, UPLOADS)] as const),
  );
  const objects = new Map(listed);
  const wrong = files.filter((file) => {
    if (file.tombstone) return false;
    const found = objects.get(file.location.bucketName);
    if (!found) throw new Error(`the bucket ${file.location.bucketName} is not known`);
    const size = found.get(file.objectKey);
    if (file.status === 'active') return size !== Number(file.sizeBytes);
    // Until the end of the window an upload to a URL that is valid may arrive.
    return file.status === 'deleted' && !file.lookAgainAt && size !== undefined;
  });
  const doubled = files.filter(({ objectKey, location, status, oldObjects, lookAgainAt }) => {
    if (oldObjects || lookAgainAt || status === 'deleting') return false;
    return listed.some(([name, found]) => name !== location.bucketName && found.has(objectKey));
  });
  const described = wrong.map(
    ({ _id, status, location }) => `${_id} (${status} at ${location.bucketName})`,
  );
  return [...violationOf('acknowledged', described), ...violationOf('moved', idsOf(doubled))];
}

/** `multipart`: an incomplete upload belongs to a pending file, or to a migration that runs. */
export async function checkMultipartUploads(
  { db, uploads, targets, leftOut }: Evidence,
  files: readonly StoredFile[],
): Promise<Violation[]> {
  const byKey = new Map(files.map((file) => [file.objectKey, file]));
  const orphans: string[] = [];
  for (const bucket of uploads) {
    for (const { Key = '', UploadId } of await listUploads(bucket)) {
      const file = byKey.get(Key);
      // Suites with other databases may use the bucket.
      const isOver = file && file.status !== 'pending' && !file.lookAgainAt;
      if (isOver && file.status !== 'deleting') orphans.push(`${file._id} (${UploadId})`);
    }
  }
  const migrations = await db.collection<StoredMigration>('migrations').find().toArray();
  const running = new Set(
    migrations.filter(({ completedAt }) => completedAt === null).map(({ _id }) => _id),
  );
  const approved = await db.collection<StoredApproval>('recommendations').find().toArray();
  for (const bucket of targets) {
    const isInUse = approved.some(
      ({ _id, accountId, approval }) =>
        approval?.target.bucketName === bucket.name && (running.has(_id) || leftOut.has(accountId)),
    );
    if (isInUse) continue;
    for (const { UploadId } of await listUploads(bucket))
      orphans.push(`${bucket.name} (${UploadId})`);
  }
  return violationOf('multipart', orphans);
}

/** `removed`: neither an object nor a multipart upload is left of a drill that says so. */
export async function checkDrills({ db, uploads, targets }: Evidence): Promise<Violation[]> {
  const drills = await db.collection<StoredDrill>('drills').find({ removed: true }).toArray();
  const removed = new Set(drills.map(({ _id }) => _id));
  const found: string[] = [];
  for (const bucket of removed.size > 0 ? [...uploads, ...targets] : []) {
    const keys = [...(await listObjects(bucket, DRILLS)).keys()];
    keys.push(...(await listUploads(bucket)).map(({ Key = '' }) => Key));
    // Suites with other databases may use the bucket.
    const left = keys.filter((key) => key.startsWith(DRILLS) && removed.has(drillIdOf(key)));
    found.push(...left.map((key) => `${bucket.name}/${key}`));
  }
  return violationOf('removed', found);
}

const drillIdOf = (key: string) => key.split('/')[1] ?? '';

/**
 * `copies`: the completed writes of each key in a target, since the double's counters were reset.
 *
 * @throws Error where the double has kept only the latest of more requests.
 */
export function checkCopies({ double, targets }: Evidence): Violation[] {
  const requests = double?.requests() ?? [];
  if (requests.length >= KEPT_REQUESTS && targets.length > 0)
    throw new Error('more requests than the double keeps: reset its counters between the checks');
  const names = new Set(targets.map(({ name }) => name));
  const counts = new Map<string, number>();
  for (const { operation, bucket, key, status } of requests) {
    if (!WRITES.has(operation) || status !== 200 || bucket === null || !names.has(bucket)) continue;
    // A migration writes its canary once per attempt.
    if (key === null || key.includes('.storage-routing-canary')) continue;
    counts.set(`${bucket}/${key}`, (counts.get(`${bucket}/${key}`) ?? 0) + 1);
  }
  const tooMany = [...counts].filter(([, count]) => count > MOST_COPIES);
  return violationOf(
    'copies',
    tooMany.map(([key, count]) => `${key} (${count})`),
  );
}

async function listObjects({ s3, name }: OwnedBucket, below: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  const prefix = { Bucket: name, Prefix: below };
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, prefix))
    for (const { Key = '', Size = 0 } of Contents) sizes.set(Key, Size);
  return sizes;
}

async function listUploads({ s3, name }: OwnedBucket): Promise<MultipartUpload[]> {
  const page = await s3.send(new ListMultipartUploadsCommand({ Bucket: name }));
  if (page.IsTruncated) throw new Error(`${name} has more incomplete uploads than one page holds`);
  return page.Uploads ?? [];
}
