import { withRoleErrors } from '../../adapters/cloud-account/role-errors.ts';
import type { ReadServiceAccount } from '../../adapters/cloud-account/service-account.ts';

export interface ServiceIdentityDeps {
  readonly readServiceAccount: ReadServiceAccount;
  /** Undefined: the operator has published no template. */
  readonly connectTemplateUrl: string | undefined;
}

/** What a customer needs to make a role for the service. */
export interface ServiceIdentity {
  /** The account that the role's trust policy names. */
  readonly awsAccountId: string;
  readonly templateUrl: string | undefined;
}

/** @throws AppError `provider_error` */
export async function findServiceIdentity({
  readServiceAccount,
  connectTemplateUrl,
}: ServiceIdentityDeps): Promise<ServiceIdentity> {
  const awsAccountId = await withRoleErrors(readServiceAccount);
  return { awsAccountId, templateUrl: connectTemplateUrl };
}
