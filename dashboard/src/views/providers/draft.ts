import type {
  Jurisdiction,
  Provider,
  ProviderInfo,
  SaveProviderRequest,
} from '@storage-routing/client';

/** What the form holds: every field, of whichever store. */
export interface Draft {
  readonly provider: Provider;
  readonly bucketName: string;
  readonly region: string;
  readonly accountId: string;
  readonly jurisdiction: Jurisdiction | '';
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export function emptyDraft(provider: Provider, current: ProviderInfo | undefined): Draft {
  return {
    provider,
    bucketName: current?.bucketName ?? '',
    region: current?.region ?? '',
    accountId: current?.accountId ?? '',
    jurisdiction: current?.jurisdiction ?? '',
    accessKeyId: '',
    secretAccessKey: '',
  };
}

/** The fields that the API takes for this store. Spaces of a paste are not part of a value. */
export function requestOf(draft: Draft): SaveProviderRequest {
  const { provider, jurisdiction } = draft;
  const access = {
    bucketName: draft.bucketName.trim(),
    accessKeyId: draft.accessKeyId.trim(),
    secretAccessKey: draft.secretAccessKey.trim(),
  };
  if (provider !== 'r2') return { ...access, provider, region: draft.region.trim() };
  return {
    ...access,
    provider,
    region: 'auto',
    accountId: draft.accountId.trim(),
    ...(jurisdiction !== '' && { jurisdiction }),
  };
}
