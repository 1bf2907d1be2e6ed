import type { StripeBilling } from '../../adapters/billing/stripe.ts';
import type { CloudAccounts } from '../../adapters/cloud-account/cloud-accounts.ts';
import type { ReadServiceAccount } from '../../adapters/cloud-account/service-account.ts';
import type { Deadline } from '../../adapters/deadline.ts';
import type { createRecords } from '../../adapters/mongo/records.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import type { FindEndpoint } from '../../adapters/object-store/address.ts';
import type { Logger } from '../../adapters/telemetry/logger.ts';
import type { WorkflowCommands } from '../../adapters/temporal/commands.ts';
import type { Temporal } from '../../adapters/temporal/open.ts';
import type { UploadStarts } from '../../adapters/temporal/upload-starts.ts';
import type { Vault } from '../../adapters/vault/vault.ts';
import type { WebhookSender } from '../../adapters/webhooks/sender.ts';
import type { KeyMode } from '../../domain/accounts/api-key.ts';
import type { Plans } from '../../domain/accounts/plan.ts';
import type { ExternalIdRule, OwnAccountRule } from '../../domain/connections/connection.ts';
import type { PriceBook } from '../../domain/pricing/price-book.ts';
import type { Catalogue } from '../../domain/providers/catalogue.ts';

/** All that a process gives to its use cases. */
interface AllDeps extends ReturnType<typeof createRecords>, WorkflowCommands {
  readonly stores: AccountStores;
  readonly cloudAccounts: CloudAccounts;
  readonly temporal: Pick<Temporal, 'ping'>;
  readonly vault: Vault;
  readonly sender: WebhookSender;
  readonly findEndpoint: FindEndpoint;
  readonly uploadStarts: UploadStarts;
  readonly readServiceAccount: ReadServiceAccount;
  /** Undefined if Stripe is not configured. */
  readonly billing: StripeBilling | undefined;
  readonly requests: Deadline;
  readonly catalogue: Catalogue;
  readonly priceBook: PriceBook;
  readonly plans: Plans;
  readonly keyMode: KeyMode;
  readonly externalIds: ExternalIdRule;
  readonly ownAccountRoles: OwnAccountRule;
  /** Undefined: the operator has published no template. */
  readonly connectTemplateUrl: string | undefined;
  readonly uploadUrlSeconds: number;
  readonly uploadGraceSeconds: number;
  readonly downloadUrlSeconds: number;
  readonly maxPendingFiles: number;
  readonly migrationMaxBytes: number;
  readonly log: Logger;
  readonly now: () => Date;
  /** Receives failures of work that no caller waits for; a sweep repeats it. */
  readonly onBackgroundError: (error: unknown) => void;
}

/** What a use case takes of it. */
export type Deps<Name extends keyof AllDeps> = Pick<AllDeps, Name>;
