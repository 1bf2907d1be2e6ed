import { type CloudAccount, createOwner } from './parts/cloud-account.ts';
import type { Environment } from './parts/part.ts';
import { seedCustomerAccount } from './sample-account.ts';

const RULES_EVERY_MS = 2_000;

/**
 * Fills the sample account and gives it an owner, who may change it. S3 carries out lifecycle rules about once
 * a day; this account does within seconds of a change, so that the next scan shows what a rule saves.
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
