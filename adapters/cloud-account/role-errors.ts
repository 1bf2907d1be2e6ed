import { RoleRefusedError } from './roles.ts';
import { StoreError } from '../object-store/errors.ts';
import { OwnCredentialsError } from './sts-call.ts';
import { AppError } from '../../domain/common/errors.ts';

const REFUSED =
  'AWS does not let the service assume this role. Check that the role exists, that its trust policy ' +
  "names the service's AWS account as principal, and that its sts:ExternalId is the one given here.";
const MAY_NOT_LIST =
  'The role can be assumed, but it may not list buckets. Allow it s3:ListAllMyBuckets on "*".';
const OWN_CREDENTIALS =
  'AWS does not accept the credentials of the service, or it has none. Its operator has to configure them.';

/**
 * Runs work that needs the service's own identity or a customer's role, and translates its errors:
 * refused credentials of the service, a refused role, and a role that lacks a permission get a
 * message of their own.
 *
 * @throws AppError `role_not_assumable` or `provider_error`
 */
export async function withRoleErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof RoleRefusedError) {
      throw new AppError('role_not_assumable', REFUSED, { cause });
    }
    if (cause instanceof OwnCredentialsError) {
      throw new AppError('provider_error', OWN_CREDENTIALS, { cause });
    }
    if (cause instanceof StoreError && cause.failure === 'access_denied') {
      throw new AppError('role_not_assumable', MAY_NOT_LIST, { cause });
    }
    if (cause instanceof StoreError) {
      throw new AppError('provider_error', `AWS S3: ${cause.message}.`, { cause });
    }
    throw cause;
  }
}
