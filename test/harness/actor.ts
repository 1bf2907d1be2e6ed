import {
  describeActivity,
  type Activity,
  type ActivityAction,
  type Actor,
} from '../../domain/accounts/activity.ts';

/** The owner of an account, who makes a call. */
export function actorOf(accountId: string): Actor {
  return { accountId, person: { subject: 'owner', name: 'Olga Owner' }, requestId: 'stored' };
}

/** What the owner did. */
export function activityOf(accountId: string, action: ActivityAction, on = 'it'): Activity {
  return describeActivity(actorOf(accountId), action, on, new Date());
}
