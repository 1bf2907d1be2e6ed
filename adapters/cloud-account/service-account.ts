import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { NO_DEADLINE, type Deadline } from '../deadline.ts';
import { StoreError } from '../object-store/errors.ts';
import { createStsCall, type StsOptions } from './sts-call.ts';

/**
 * The AWS account of the service's own identity, 12 digits.
 *
 * @throws StoreError; `OwnCredentialsError` if AWS does not accept the service's credentials
 */
export type ReadServiceAccount = () => Promise<string>;

const ACCOUNT_ID = /^[0-9]{12}$/;

/**
 * Asks STS once: the account stays the same as long as the process lives. Concurrent calls share
 * one request; a failure is not remembered.
 */
export function createReadServiceAccount(
  sts: StsOptions,
  deadline: Deadline = NO_DEADLINE,
): ReadServiceAccount {
  const call = createStsCall(sts, deadline);
  let reading: Promise<string> | undefined;

  const read = async (): Promise<string> => {
    try {
      const command = new GetCallerIdentityCommand({});
      const { Account = '' } = await call((client, options) => client.send(command, options));
      if (!ACCOUNT_ID.test(Account))
        throw new StoreError('failed', new Error('a response without an account'));
      return Account;
    } catch (error) {
      reading = undefined;
      throw error;
    }
  };
  return () => (reading ??= read());
}
