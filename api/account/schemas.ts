import { Type } from 'typebox';
import { PLAN_NAMES } from '../../domain/account/plan.ts';
import { nullable, oneOf, Provider, Time } from '../http/schemas.ts';

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
