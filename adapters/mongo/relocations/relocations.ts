import type { Db } from 'mongodb';
import type { RelocationRecord, RelocationStatus } from '../../../domain/relocations/relocation.ts';
import type { ServiceEvent } from '../../../domain/webhooks/event.ts';
import { matches } from '../common/open.ts';
import { emitting } from '../common/outbox.ts';
import { RunsAtPlaces } from './runs-at-places.ts';

export interface RelocationKey {
  readonly relocationId: string;
  readonly accountId: string;
}

type Planned = Pick<RelocationRecord, 'after' | 'pages' | 'files' | 'bytes'>;

/** The relocations of all accounts. A status changes by a write that demands the one before. */
export class Relocations extends RunsAtPlaces<'relocationId', RelocationRecord> {
  constructor(db: Db) {
    super(db, 'relocations', 'relocationId');
  }

  /** False if another worker has come further. */
  savePlanned(relocationId: string, pages: number, planned: Planned): Promise<boolean> {
    return matches(
      this.stored.updateOne({ _id: relocationId, status: 'planning', pages }, { $set: planned }),
    );
  }

  /** planning → copying. */
  async beginCopying(relocationId: string): Promise<void> {
    await this.stored.updateOne(
      { _id: relocationId, status: 'planning' },
      { $set: { status: 'copying' } },
    );
  }

  /** Pages before this one are copied. */
  async saveCopied(
    relocationId: string,
    page: number,
    progress: Pick<RelocationRecord, 'costUsd'> & Partial<Pick<RelocationRecord, 'movedAt'>>,
  ): Promise<void> {
    await this.stored.updateOne(
      { _id: relocationId, page: { $lte: page } },
      { $set: { page, ...progress } },
    );
  }

  /** Ends the copying; from then on another one may begin at the place. */
  async endCopying(
    relocationId: string,
    end: Pick<RelocationRecord, 'status' | 'completedAt' | 'error'>,
    events: readonly ServiceEvent[],
  ): Promise<void> {
    await this.stored.updateOne(
      { _id: relocationId, runs: { $exists: true } },
      { $set: end, $unset: { runs: true }, ...emitting(events) },
    );
  }

  /** draining → completed or completed_with_failures. */
  async complete(
    relocationId: string,
    status: RelocationStatus,
    completedAt: Date,
    events: readonly ServiceEvent[],
  ): Promise<void> {
    await this.stored.updateOne(
      { _id: relocationId, status: 'draining' },
      { $set: { status, completedAt }, ...emitting(events) },
    );
  }

  /** Nothing is left to do. */
  async settle(relocationId: string): Promise<void> {
    await this.stored.updateOne(
      { _id: relocationId, runs: { $exists: false } },
      { $unset: { nextAttemptAt: true } },
    );
  }
}
