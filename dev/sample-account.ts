import type { AwsDouble } from './aws-double/index.ts';
import {
  CUSTOMER_ACCOUNT,
  createOwner,
  SMALL_ACCOUNT,
  type CloudAccount,
} from './parts/cloud-account.ts';
import type { Environment } from './parts/part.ts';
import {
  sampleBuckets,
  smallBuckets,
  type SampleAccount,
  type SampleBucket,
} from './sample-buckets.ts';
import { seedSampleUsage } from './sample-usage.ts';

/**
 * The variables of a service that audits this account: each byte that it moves is written to the local disk, and small
 * savings are summed as in production.
 */
export const SAMPLE_LIMITS = {
  MIGRATION_MAX_BYTES: '5000000000',
  MIN_MONTHLY_SAVINGS_USD: '1',
  MIN_MOVE_MONTHLY_SAVINGS_USD: '10',
} as const;

/** Where the sample account has buckets. */
export const SAMPLE_REGIONS = ['us-east-1', 'us-west-2', 'eu-central-1'];

const RULES_EVERY_MS = 2_000;
const DAY_MS = 86_400_000;

/** The names of the buckets of a seeded account. */
interface SampleBuckets {
  readonly all: readonly string[];
  /** The smallest of those that are worth a move and can be moved here. */
  readonly movable: string;
}

/** Fills the accounts of `parts/cloud-account.ts` as of now: one with a bill and metrics, a smaller one with neither. */
export function seedCustomerAccount(double: AwsDouble): SampleBuckets {
  const now = new Date();
  const sample = { accountId: CUSTOMER_ACCOUNT, now, prefix: 'acme-' };
  const small = { accountId: SMALL_ACCOUNT, now, prefix: 'globex-' };
  const all = [...seedSampleAccount(double, sample), ...seed(double, small, smallBuckets(small))];
  seedSampleUsage(double, sample);
  return { all, movable: 'acme-press' };
}

/**
 * Fills an account, without a bill and metrics.
 *
 * @returns the names of the buckets.
 */
export function seedSampleAccount(double: AwsDouble, sample: SampleAccount): readonly string[] {
  return seed(double, sample, sampleBuckets(sample));
}

function seed(
  double: AwsDouble,
  { accountId, now }: SampleAccount,
  buckets: readonly SampleBucket[],
): readonly string[] {
  for (const { name, region, createdDaysAgo, settings = {}, versioning, content } of buckets) {
    const createdAt = new Date(now.getTime() - createdDaysAgo * DAY_MS).toISOString();
    const versions = versioning ? { versioning } : {};
    double.putBucket({ name, region, accountId, createdAt, settings, ...versions });
    double.seed({ bucket: name, ...content });
  }
  return buckets.map(({ name }) => name);
}

/**
 * Fills the sample accounts and gives the larger one an owner, who may change it. S3 carries out lifecycle rules about
 * once a day; these accounts do within seconds of a change, so that the next scan shows what a rule saves.
 *
 * @returns the variables of the owner in the guides.
 */
export function openSampleAccount({ double, s3Endpoint }: CloudAccount): Environment {
  const { all } = seedCustomerAccount(double);
  let carriedOut = 0;
  const carryOut = async () => {
    const { PutBucketLifecycleConfiguration: put = 0 } = double.counts().byOperation;
    if (put === carriedOut) return;
    carriedOut = put;
    await Promise.all(all.map((bucket) => double.applyLifecycle(bucket)));
  };
  setInterval(() => void carryOut(), RULES_EVERY_MS).unref();
  const { accessKeyId, secretAccessKey } = createOwner(double);
  return {
    CUSTOMER_S3_ENDPOINT: s3Endpoint,
    CUSTOMER_ACCESS_KEY_ID: accessKeyId,
    CUSTOMER_SECRET_ACCESS_KEY: secretAccessKey,
  };
}
