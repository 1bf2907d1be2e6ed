import { proxyActivities } from '@temporalio/workflow';
import type { RecommendationActivities } from '../activities/recommendations.ts';

const sweeping = proxyActivities<RecommendationActivities>({
  startToCloseTimeout: '1m',
  retry: { maximumAttempts: 3 },
});

/** Every minute: approvals whose workflows have not heard of them are told again. */
export async function sweepApprovals(): Promise<{ delivered: number }> {
  return sweeping.sweepApprovals();
}
