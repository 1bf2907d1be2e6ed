import { Type } from 'typebox';
import { PLAN_NAMES } from '../../domain/accounts/plan.ts';
import { ACTIVITY_ACTIONS } from '../../domain/accounts/activity.ts';
import { closed, nullable, oneOf, page, pageView, Provider, Time } from '../http/schemas.ts';

export const MeView = Type.Object({
  accountId: Type.String(),
  plan: oneOf(PLAN_NAMES),
  keyMode: oneOf(['live', 'test']),
  providers: Type.Array(Provider),
  usage: Type.Object({
    period: Type.String({ examples: ['2026-11'] }),
    gbRouted: Type.Number(),
    uploads: Type.Integer(),
    gbBooked: Type.Number({ description: 'counted against the quota, uploads under way too' }),
    uploadsBooked: Type.Integer(),
    gbQuota: nullable(Type.Number({ description: 'null: unlimited' })),
    uploadQuota: nullable(Type.Integer({ description: 'null: unlimited' })),
  }),
});

export const ApiKeyView = Type.Object({
  apiKey: Type.Union([
    Type.Object({ masked: Type.String(), createdAt: Time, lastUsedAt: nullable(Time) }),
    Type.Null(),
  ]),
});

export const NewApiKeyView = Type.Object({ apiKey: Type.String(), createdAt: Time });
export const RotationView = Type.Object({ newApiKey: Type.String(), rotatedAt: Time });

export const PersonView = Type.Object({
  subject: Type.String(),
  name: Type.String(),
  mayChange: Type.Boolean({ description: 'whether the role allows calls that change something' }),
  changingRoles: Type.Array(Type.String(), {
    description: 'of which one is needed for them, if the operator has named a claim of roles',
  }),
});

export const ActivityQuery = Type.Object({ ...page }, closed);

export const ActivityView = Type.Object({
  at: Time,
  subject: Type.String({ description: "the `sub` of the person's token" }),
  name: Type.String({ description: 'its `name`, or else `email`, or else `sub`' }),
  action: oneOf(ACTIVITY_ACTIONS),
  on: Type.String({ description: 'the id of what was changed' }),
  requestId: Type.String(),
});

export const ActivityPage = Type.Object({ items: Type.Array(ActivityView), ...pageView });
