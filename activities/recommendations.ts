import type { Migrations } from '../adapters/mongo/migrations.ts';
import type { Recommendations } from '../adapters/mongo/recommendations.ts';
import type { MigrationCommands } from '../adapters/temporal/migration-commands.ts';
import { addSeconds } from '../domain/time.ts';
import type { MigrationInput, MigrationOutcome } from '../messages/messages.ts';

export interface RecommendationActivityDeps {
  readonly recommendations: Recommendations;
  readonly migrations: Migrations;
  readonly migrationCommands: MigrationCommands;
  readonly now: () => Date;
}

export type RecommendationActivities = ReturnType<typeof createRecommendationActivities>;

/** How old an approval must be before nobody is on the way with it any more. */
const UNDELIVERED_SECONDS = 30;

/** What the workflow that waits for an approval has done, and the sweep for approvals that got lost. */
export function createRecommendationActivities(deps: RecommendationActivityDeps) {
  const { recommendations, migrations, migrationCommands, now } = deps;

  return {
    /** open → expired where its time has passed by then, unless something else became of it. */
    async expireRecommendation(key: MigrationInput, at: string): Promise<MigrationOutcome> {
      await recommendations.expire(key.recommendationId, new Date(at));
      return { status: (await recommendations.find(key))?.status ?? 'missing' };
    },

    /** Tells the workflows once more of approvals that they have not begun to carry out. */
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
