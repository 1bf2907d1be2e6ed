import { createHash } from 'node:crypto';
import type { StoredApiKey } from './api-key.ts';
import type { ProviderName, StoreLocation } from '../providers/catalogue.ts';
import type { StoreCapabilities } from '../providers/capabilities.ts';
import type { Refused } from '../providers/pause.ts';
import { AppError } from '../common/errors.ts';
import type { PlanName } from './plan.ts';
import type { Subscriptions } from './subscription.ts';

/** A text that only the vault can open. All parts base64. */
export interface SealedText {
  /** Which of the deployment's keys sealed it. */
  readonly keyId: string;
  readonly nonce: string;
  readonly ciphertext: string;
  readonly tag: string;
}

/** One of the customer's stores, as stored. */
export interface StoredProvider {
  readonly location: StoreLocation;
  readonly credentials: SealedText;
  readonly accessKeyIdMasked: string;
  /** As measured at this place; what is absent was not measured. */
  readonly capabilities?: Partial<StoreCapabilities>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A replaced place of a provider, with its credentials, while something needs it. */
export interface FormerPlace extends Omit<StoredProvider, 'capabilities'> {
  /** When it was replaced. */
  readonly since: Date;
}

/** For one account. */
export const MAX_FORMER_PLACES = 50;

/** The account at the payment service. */
export interface AccountBilling {
  /** Its customer id there; the first one stays. */
  readonly customerId?: string;
  readonly checkedOutAt?: Date;
  readonly subscriptions?: Subscriptions;
  /** Increased by every change of `subscriptions`: the guard against concurrent changes. */
  readonly revision?: number;
}

/** The tenant. Everything belongs to exactly one account. */
export interface Account extends Refused {
  readonly accountId: string;
  /** The plan in force: assigned to the account, or granted by a subscription. */
  readonly plan: PlanName;
  readonly createdAt: Date;
  readonly apiKey?: StoredApiKey & { readonly lastUsedAt?: Date };
  readonly providers: Readonly<Partial<Record<ProviderName, StoredProvider>>>;
  readonly billing?: AccountBilling;
  /** When a store last refused the credentials, at most once a day. */
  readonly failing?: Readonly<Partial<Record<ProviderName, Date>>>;
}

/** An account is notified at most once in this time that a store refuses its credentials. */
export const FAILING_SECONDS = 86_400;

/** Within one account, a place: a provider's account, jurisdiction, region and bucket. */
export function placeKey(place: StoreLocation): string {
  const { provider, accountId = null, jurisdiction = null, region, bucketName } = place;
  return JSON.stringify([provider, accountId, jurisdiction, region, bucketName]);
}

/** Whether two locations are the same bucket of the same owner. */
export function sameLocation(a: StoreLocation, b: StoreLocation): boolean {
  return placeKey(a) === placeKey(b);
}

/** Whether the account's provider is stored with this location. */
export function isAt({ providers }: Account, location: StoreLocation): boolean {
  const stored = providers[location.provider];
  return stored !== undefined && sameLocation(stored.location, location);
}

/** Refusals of a place count under its provider while it is current, else under `formerStoreOf`. */
export function storeOf(account: Account, place: StoreLocation): string {
  return isAt(account, place) ? place.provider : formerStoreOf(place);
}

/** What the refusals of a place are counted under while it is a former one: a hash of it. */
export function formerStoreOf(place: StoreLocation): string {
  return createHash('sha256').update(placeKey(place)).digest('hex').slice(0, 32);
}

/** What the store of this location was measured to do; another place has no measurements. */
export function measuredAt(account: Account, location: StoreLocation): Partial<StoreCapabilities> {
  return (isAt(account, location) && account.providers[location.provider]?.capabilities) || {};
}

/** A configured provider of the account. @throws AppError `provider_not_configured` */
export function requireProvider({ providers }: Account, provider: ProviderName): StoredProvider {
  const stored = providers[provider];
  if (stored) return stored;
  throw new AppError(
    'provider_not_configured',
    `${provider} is not configured for this account: save its credentials first (Stores in the dashboard, POST /v1/providers, srs providers set).`,
  );
}
