import type { LifecycleRule, Tag } from '@aws-sdk/client-s3';
import type { BucketLifecycle, StoredLifecycleRule } from '../../domain/inventory/lifecycle.ts';
import type { BucketUse } from '../../domain/inventory/inventory.ts';
import { isRefusal } from '../object-store/errors.ts';
import type { S3Call } from '../object-store/s3-client.ts';

/** Whether a bucket keeps replaced versions. `Suspended` still has those from before. */
export type Versioning = 'off' | 'kept';

export function classifyVersioning(status: string | undefined): Versioning {
  return status === 'Enabled' || status === 'Suspended' ? 'kept' : 'off';
}

export function toStoredRules(
  rules: readonly LifecycleRule[],
  transitionMinimum: string | undefined,
): BucketLifecycle {
  // As JSON: times become texts, and absent fields go.
  const stored = JSON.parse(JSON.stringify(rules)) as StoredLifecycleRule[];
  return { rules: stored, ...(transitionMinimum === undefined ? {} : { transitionMinimum }) };
}

/** A setting that says what a bucket is used for. */
export type UseSetting = keyof BucketUse;

interface UseCall {
  readonly operation: string;
  /** The code of the refusal without the setting; null: the answer is an empty document. */
  readonly absent: string | null;
  readonly read: (callS3: S3Call, Bucket: string) => Promise<boolean>;
}

/** Source of the names and codes: Amazon S3 API Reference, the page of each operation. */
export const USE_CALLS: Readonly<Record<UseSetting, UseCall>> = {
  isKept: {
    operation: 'GetBucketTagging',
    absent: 'NoSuchTagSet',
    async read(callS3, Bucket) {
      const { TagSet } = await callS3((sdk) => new sdk.GetBucketTaggingCommand({ Bucket }));
      return (TagSet ?? []).some(saysKeep);
    },
  },
  isLocked: {
    operation: 'GetObjectLockConfiguration',
    absent: 'ObjectLockConfigurationNotFoundError',
    async read(callS3, Bucket) {
      const { ObjectLockConfiguration: lock } = await callS3(
        (sdk) => new sdk.GetObjectLockConfigurationCommand({ Bucket }),
      );
      return lock?.ObjectLockEnabled === 'Enabled';
    },
  },
  isReplicated: {
    operation: 'GetBucketReplication',
    absent: 'ReplicationConfigurationNotFoundError',
    async read(callS3, Bucket) {
      const { ReplicationConfiguration: replication } = await callS3(
        (sdk) => new sdk.GetBucketReplicationCommand({ Bucket }),
      );
      return (replication?.Rules ?? []).some(({ Status }) => Status === 'Enabled');
    },
  },
  hasEvents: {
    operation: 'GetBucketNotificationConfiguration',
    absent: null,
    async read(callS3, Bucket) {
      const configuration = await callS3(
        (sdk) => new sdk.GetBucketNotificationConfigurationCommand({ Bucket }),
      );
      const { LambdaFunctionConfigurations, QueueConfigurations, TopicConfigurations } =
        configuration;
      const targets = [LambdaFunctionConfigurations, QueueConfigurations, TopicConfigurations];
      return (
        configuration.EventBridgeConfiguration !== undefined ||
        targets.some((configured = []) => configured.length > 0)
      );
    },
  },
  hasWebsite: {
    operation: 'GetBucketWebsite',
    absent: 'NoSuchWebsiteConfiguration',
    async read(callS3, Bucket) {
      await callS3((sdk) => new sdk.GetBucketWebsiteCommand({ Bucket }));
      return true;
    },
  },
};

/** @throws StoreError */
export async function readUse(
  callS3: S3Call,
  Bucket: string,
  setting: UseSetting,
): Promise<boolean> {
  const { read, absent } = USE_CALLS[setting];
  try {
    return await read(callS3, Bucket);
  } catch (error) {
    if (absent !== null && isRefusal(error, absent)) return false;
    throw error;
  }
}

/** How a customer says that a bucket is to be left as it is. */
function saysKeep({ Key, Value }: Tag): boolean {
  return Key === 'storage-routing' && Value === 'keep';
}
