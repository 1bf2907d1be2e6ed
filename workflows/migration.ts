import { proxyActivities, sleep } from '@temporalio/workflow';
import type { RecommendationActivities } from '../activities/recommendations.ts';
import type { MigrationInput, MigrationState } from './messages.ts';

/** The delay was reckoned by another clock than the one that counts here. */
const LOOK_AGAIN = '1m';

const { expireRecommendation } = proxyActivities<RecommendationActivities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
  summary: 'Nobody approved the move in time',
});

/**
 * Waits for the approval of a recommended move. It is started with a delay as long as the
 * recommendation's life, so it costs nothing until it is woken; woken by its deadline, it is the only
 * one that writes `expired`.
 */
export async function migration(input: MigrationInput): Promise<MigrationState> {
  for (;;) {
    const state = await expireRecommendation(input, new Date().toISOString());
    if (state.status !== 'open') return state;
    await sleep(LOOK_AGAIN);
  }
}
