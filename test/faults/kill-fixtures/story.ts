import type { ServiceProcess } from '../../../dev/service.ts';
import type { TaskQueue } from '../../../messages/names.ts';
import type { openDatabase } from '../../harness/customer.ts';
import type { OwnedBucket } from '../../harness/invariants/invariant.ts';
import type { MigrationSuite } from '../../harness/migration-customer.ts';

export type ProcessName = 'api' | TaskQueue;

/** What a story takes place on. */
export interface Stage {
  readonly suite: MigrationSuite;
  readonly database: Awaited<ReturnType<typeof openDatabase>>;
  /** Buckets that stories add to those of the stack. */
  readonly places: OwnedBucket[];
  /** The processes that are killed. The first API never is: waits and checks go there. */
  readonly processes: Readonly<Record<ProcessName, ServiceProcess>>;
}

/** What happens around a kill. */
export interface Scene {
  /** Only writes that contain this text count. */
  readonly about?: string | undefined;
  /** Leads to the write, where the start of the process does not. */
  readonly go?: () => Promise<unknown>;
  /** The moment of the kill, where it is no write. */
  readonly reached?: () => Promise<void>;
  /** What a customer does while the process is away. */
  readonly meanwhile?: () => Promise<unknown>;
  /** Settles when nothing is left to do. */
  readonly atRest: () => Promise<void>;
  /** The most that this takes while all processes are alive. */
  readonly withinMs?: number;
  /** Asserts that the end is the one of a story without a kill. */
  readonly assertEnd?: () => Promise<void>;
}

/** All stories are prepared at once, before the first kill; the result begins one. A worker of scans or migrations is away then. */
export type Story = (stage: Stage) => Promise<() => Promise<Scene>>;
