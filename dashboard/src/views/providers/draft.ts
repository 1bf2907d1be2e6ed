import {
  onlyRegion,
  type FormerPlace,
  type Jurisdiction,
  type ProviderDescription,
  type SaveProviderRequest,
} from '@storage-routing/client';
import type { Fact } from '../../parts/facts.tsx';

/** The fields of the form, as typed. */
export interface Draft {
  readonly bucketName: string;
  readonly region: string;
  readonly accountId: string;
  readonly jurisdiction: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A place of a store, as it is shown. */
export type Place = Pick<FormerPlace, 'bucketName' | 'region' | 'accountId' | 'jurisdiction'>;

/** What is shown of it, without its keys. */
export function placeFacts({ bucketName, region, accountId, jurisdiction }: Place): Fact[] {
  return [
    ['Bucket', bucketName],
    ['Region', region],
    ['Account', accountId],
    ['Jurisdiction', jurisdiction],
  ];
}

/** @param current the stored place, if its credentials are replaced */
export function createDraft(current: Place | undefined): Draft {
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
