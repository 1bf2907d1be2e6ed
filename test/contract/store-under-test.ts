import type { StoreCredentials } from '../../adapters/vault/vault.ts';
import type { StoreLocation } from '../../domain/provider/catalogue.ts';

/** A running store and the means to reach it. */
export interface StoreUnderTest {
  readonly origin: string;
  readonly location: StoreLocation;
  readonly credentials: StoreCredentials;
  /** Unusual keys that this store supports. */
  readonly oddKeys: readonly string[];
}

/** A store with its owner's credentials, which may create buckets and set their rules. */
export interface OwnedStore extends StoreUnderTest {
  readonly owner: StoreCredentials;
}
