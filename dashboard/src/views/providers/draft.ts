import {
  onlyRegion,
  type Jurisdiction,
  type ProviderDescription,
  type ProviderInfo,
  type SaveProviderRequest,
} from '@storage-routing/client';

/** The fields of the form, as typed. */
export interface Draft {
  readonly bucketName: string;
  readonly region: string;
  readonly accountId: string;
  readonly jurisdiction: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** @param current the stored settings, without their secret, if they are replaced */
export function createDraft(current: ProviderInfo | undefined): Draft {
  return {
    bucketName: current?.bucketName ?? '',
    region: current?.region ?? '',
    accountId: current?.accountId ?? '',
    jurisdiction: current?.jurisdiction ?? '',
    accessKeyId: '',
    secretAccessKey: '',
  };
}

/** The fields that the API takes for this store, without the spaces that a paste may add. */
export function createRequest(store: ProviderDescription, draft: Draft): SaveProviderRequest {
  const { provider, needsAccountId, jurisdictions } = store;
  const jurisdiction = jurisdictions.find((name) => name === draft.jurisdiction);
  return {
    provider,
    bucketName: draft.bucketName.trim(),
    accessKeyId: draft.accessKeyId.trim(),
    secretAccessKey: draft.secretAccessKey.trim(),
    region: onlyRegion(store) ?? draft.region.trim(),
    ...(needsAccountId && { accountId: draft.accountId.trim() }),
    ...(jurisdiction !== undefined && { jurisdiction: jurisdiction as Jurisdiction }),
  };
}
