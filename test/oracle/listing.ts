import type { AccountUsage } from '../../domain/bill/bill.ts';
import type { ProviderName } from '../../domain/provider/catalogue.ts';
import type { Lifecycle, MovedSelector } from '../../domain/inventory/inventory.ts';

/** The content of a customer's buckets, as a store lists it. */
export interface Listing {
  readonly startedAt: Date;
  readonly buckets: readonly ListedBucket[];
  /** Where they are; AWS where it is left out. */
  readonly source?: ProviderName;
  readonly configured: readonly ProviderName[];
  /** Of configured stores, where it is not the default one. */
  readonly regions?: Readonly<Record<ProviderName, string>>;
  readonly minMonthlySavingsUsd: number;
  readonly horizonMonths: number;
  /** The bill and the metrics; left out where there are none. */
  readonly usage?: AccountUsage;
}

export interface ListedBucket {
  readonly name: string;
  readonly region: string;
  readonly objects: readonly ListedObject[];
  readonly oldVersions: readonly ListedVersion[];
  readonly deleteMarkers: number;
  readonly uploads: readonly ListedUpload[];
  readonly lifecycle: Lifecycle;
  /** What completed migrations were to move. */
  readonly moved?: readonly MovedSelector[];
  /** It is a place of the account. */
  readonly isPlace?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/** An entry stands for `times` equal ones, 1 where it is not said. */
interface Repeated {
  readonly times?: number;
}

export interface ListedVersion extends Repeated {
  /** Left out where it does not matter. */
  readonly key?: string;
  readonly size: number;
  readonly storageClass: string;
}

export interface ListedObject extends ListedVersion {
  readonly key: string;
  readonly lastModified: Date;
  /** A migration has copied it, and here it is still. */
  readonly isCopied?: boolean;
}

export interface ListedUpload extends Repeated {
  /** Left out where it does not matter. */
  readonly key?: string;
  readonly initiated: Date;
  readonly bytes: number;
}
