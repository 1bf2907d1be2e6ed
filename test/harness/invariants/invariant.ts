import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { AwsDouble } from '../../../dev/aws-double/index.ts';
import type { Db } from 'mongodb';
import type { S3Client } from '@aws-sdk/client-s3';

/** What holds after every run, whatever was killed or away in between. */
export const INVARIANTS = {
  workflow: 'each pending file has a workflow before its deadline',
  settled: 'each file is settled after its deadline, and no work on it is left',
  usage: 'the usage records equal the files that were ever active',
  totals: 'the monthly totals equal the files and the usage records',
  quota: 'the bookings of the quota equal the files',
  acknowledged: 'nothing acknowledged is lost',
  moved: 'no file has an object at two places, unless one waits for its delete',
  runs: 'each scan, each migration, each relocation and each drill has ended or has a workflow',
  removed: 'a drill that says so has left nothing at its target',
  copies: 'no object is copied more than twice',
  multipart: 'no multipart upload is orphaned',
  privacy: 'no secret, URL, file name or object key is in a history or a log',
} as const;
export type Invariant = keyof typeof INVARIANTS;

/** One broken invariant, and the ids that it concerns. */
export interface Violation {
  readonly invariant: Invariant;
  readonly ids: readonly string[];
}

/** A bucket that the service writes to, with the rights of its owner. */
export interface OwnedBucket {
  readonly name: string;
  readonly s3: S3Client;
}

/** What the checks read, all of it beside the service. */
export interface Evidence {
  readonly db: Db;
  readonly temporal: Client;
  /** Those of uploads. */
  readonly uploads: readonly OwnedBucket[];
  /** The targets of migrations. */
  readonly targets: readonly OwnedBucket[];
  readonly double: AwsDouble | undefined;
  /** The texts of all logs of the service. */
  readonly readLogs: () => Promise<readonly string[]>;
  readonly secrets: readonly string[];
  /** Accounts that a suite has broken on purpose. */
  readonly leftOut: ReadonlySet<string>;
}

/** The violation, or none where no id is concerned. */
export function violationOf(invariant: Invariant, ids: Iterable<string>): Violation[] {
  const all = [...ids];
  return all.length > 0 ? [{ invariant, ids: all }] : [];
}

/** Whether each of these workflows runs. */
export async function areRunning(
  { workflow }: Client,
  workflowIds: readonly string[],
): Promise<boolean[]> {
  return await Promise.all(
    workflowIds.map(async (workflowId) => {
      try {
        return (await workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    }),
  );
}
