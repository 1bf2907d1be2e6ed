import type { Slicing } from '../adapters/cloud-account/bucket-slice.ts';
import type { CloudAccounts } from '../adapters/cloud-account/cloud-accounts.ts';
import type { Records } from '../adapters/mongo/records.ts';
import type { AccountStores } from '../adapters/object-store/account-stores.ts';
import type { WorkflowCommands } from '../adapters/temporal/commands.ts';
import type { Vault } from '../adapters/vault/vault.ts';
import type { WebhookSender } from '../adapters/webhooks/sender.ts';
import type { CopyLimits } from '../copy/copy-limits.ts';
import type { Plans } from '../domain/accounts/plan.ts';
import type { DecisionSettings } from '../domain/decision/types.ts';
import type { LeftAlonePatterns } from '../domain/inventory/key-marks.ts';
import type { PriceBook } from '../domain/pricing/price-book.ts';
import type { DrainTimes } from '../domain/relocations/relocation.ts';
import type { DrillScheduleDeps } from '../operations/drills/schedules.ts';
import type { Progress, WorkMetrics } from './common/progress.ts';
import type { StoreGuard } from './common/store-guard.ts';

interface ActivityContext {
  readonly now: () => Date;
  readonly progress: Progress;
}

interface StoreContext extends ActivityContext {
  readonly stores: AccountStores;
  readonly guard: StoreGuard;
  /** The number of this attempt, from 1. */
  readonly attempt: () => number;
}

export interface UploadContext
  extends
    StoreContext,
    Pick<Records, 'accounts' | 'files' | 'usage' | 'usageTotals' | 'quota' | 'webhooks'>,
    Pick<Records, 'formerPlaces' | 'connections' | 'recommendations' | 'releases' | 'relocations'>,
    Pick<Records, 'drills'>,
    Pick<WorkflowCommands, 'uploads'> {
  /** Waits; rejects when the worker shuts down. */
  readonly wait: (ms: number) => Promise<void>;
}

export interface ScanContext
  extends
    StoreContext,
    Pick<Records, 'accounts' | 'connections' | 'scans' | 'scanBuckets' | 'scanQuota' | 'scanUsage'>,
    Pick<Records, 'sourceReconciliations' | 'recommendations' | 'migrations' | 'manifests'>,
    Pick<Records, 'files' | 'formerPlaces' | 'priceBooks'>,
    Pick<WorkflowCommands, 'scanCommands' | 'migrationCommands'> {
  readonly cloudAccounts: CloudAccounts;
  readonly slices: Slicing;
  readonly plans: Plans;
  readonly priceBook: PriceBook;
  readonly leftAlone: LeftAlonePatterns;
  readonly decision: DecisionSettings;
  readonly metrics: WorkMetrics;
}

export interface MigrationContext
  extends
    StoreContext,
    Pick<Records, 'accounts' | 'recommendations' | 'scans' | 'migrations' | 'releases' | 'files'>,
    Pick<Records, 'manifests' | 'ledger' | 'migrationUploads' | 'relocations' | 'drills'>,
    DrillScheduleDeps,
    Pick<WorkflowCommands, 'migrationCommands' | 'releaseCommands' | 'relocationCommands'>,
    Pick<WorkflowCommands, 'drillCommands'>,
    DrainTimes {
  readonly slices: Slicing;
  /** Shared by all copies of the process. */
  readonly limits: CopyLimits;
  readonly metrics: WorkMetrics;
}

export interface WebhookContext
  extends
    ActivityContext,
    Pick<Records, 'outbox' | 'activities' | 'webhooks' | 'deliveries'>,
    Pick<WorkflowCommands, 'webhookCommands'> {
  readonly sender: WebhookSender;
  readonly vault: Vault;
  /** Where the dashboard is, without a slash at the end; undefined: messages have no link. */
  readonly dashboardUrl: string | undefined;
  /** Waits; rejects when the worker shuts down. */
  readonly wait: (ms: number) => Promise<void>;
}
