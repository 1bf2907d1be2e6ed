import type { AccountUsage } from '../../domain/bill/bill.ts';
import type { MovedSelector } from '../../domain/inventory/inventory.ts';
import type { StoredLifecycleRule } from '../../domain/inventory/lifecycle.ts';
import type { ProviderName } from '../../domain/providers/catalogue.ts';

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
  readonly minMoveMonthlySavingsUsd: number;
  readonly horizonMonths: number;
  /** The bill and the metrics; left out where there are none. */
  readonly usage?: AccountUsage;
}

export interface ListedBucket {
  readonly name: string;
  readonly region: string;
  /** Null where the listing of buckets does not say it. */
  readonly createdAt: Date | null;
  readonly objects: readonly ListedObject[];
  readonly oldVersions: readonly ListedVersion[];
  readonly deleteMarkers: number;
  readonly uploads: readonly ListedUpload[];
  /** Null where they could not be read. */
  readonly rules: readonly StoredLifecycleRule[] | null;
  readonly use?: Partial<ListedUse>;
  /** What completed migrations were to move. */
  readonly moved?: readonly MovedSelector[];
  /** It is a place of the account. */
  readonly isPlace?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/** The settings of a bucket beside its rules, as they were read. */
export interface ListedUse {
  /** Its tag `storage-routing` has the value `keep`. */
  readonly isKept: boolean;
  readonly isLocked: boolean;
  readonly isReplicated: boolean;
  readonly hasEvents: boolean;
  readonly hasWebsite: boolean;
}

/** An entry stands for `times` equal ones, 1 where it is not said. */
interface Repeated {
  readonly times?: number;
}

interface Listed extends Repeated {
  readonly key: string;
  readonly size: number;
  readonly storageClass: string;
  readonly lastModified: Date;
}

export interface ListedVersion extends Listed {
  /** The LastModified of the next newer entry of the key; null where the listing has none. */
  readonly noncurrentSince: Date | null;
}

export interface ListedObject extends Listed {
  /** A migration has copied it, and here it is still. */
  readonly isCopied?: boolean;
}

export interface ListedUpload extends Repeated {
  readonly key: string;
  readonly initiated: Date;
  readonly bytes: number;
}
