import type { Migrations } from '../adapters/mongo/migrations.ts';
import type { Recommendations } from '../adapters/mongo/recommendations.ts';
import type { MigrationCommands } from '../adapters/temporal/migration-commands.ts';
import { addSeconds } from '../domain/time.ts';
import type { MigrationInput, MigrationOutcome } from '../messages/migration.ts';

export interface RecommendationActivityDeps {
  readonly recommendations: Recommendations;
  readonly migrations: Migrations;
  readonly migrationCommands: MigrationCommands;
  readonly now: () => Date;
}

export type RecommendationActivities = ReturnType<typeof createRecommendationActivities>;

/** An older approval whose migration has not begun was not delivered. */
const UNDELIVERED_SECONDS = 30;

/** The expiry of recommendations, and the sweep that delivers approvals. */
export function createRecommendationActivities(deps: RecommendationActivityDeps) {
  const { recommendations, migrations, migrationCommands, now } = deps;

  return {
    /** open → expired where `expiresAt` has passed. Returns the status after that. */
    async expireRecommendation(key: MigrationInput, at: string): Promise<MigrationOutcome> {
      await recommendations.expire(key.recommendationId, new Date(at));
      return { status: (await recommendations.find(key))?.status ?? 'missing' };
    },

    /** Signals the workflows of approved migrations that have not begun. */
    async sweepApprovals(): Promise<{ delivered: number }> {
      let delivered = 0;
      const before = addSeconds(now(), -UNDELIVERED_SECONDS);
      for (const approved of await recommendations.approvedBefore(before)) {
        const { migrationId } = approved.approval;
        const hasBegun = await migrations.find({ migrationId, accountId: approved.accountId });
        if (hasBegun) continue;
        await migrationCommands.approve(approved);
        delivered += 1;
      }
      return { delivered };
    },
  };
}
