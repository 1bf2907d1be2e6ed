import { proxyActivities } from '@temporalio/workflow';
import type { RecommendationActivities } from '../activities/recommendations.ts';

const sweeping = proxyActivities<RecommendationActivities>({
  startToCloseTimeout: '1m',
  retry: { maximumAttempts: 3 },
});

/** Every minute: signals approvals that were not delivered. */
export async function sweepApprovals(): Promise<{ delivered: number }> {
  return sweeping.sweepApprovals();
}
