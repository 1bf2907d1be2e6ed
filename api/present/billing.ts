import type { SubscriptionState } from '../../domain/subscription.ts';

export function presentSubscription(state: SubscriptionState | undefined) {
  return { subscription: state ? { status: state.status, plan: state.plan ?? null } : null };
}
