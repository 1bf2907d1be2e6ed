import { Type } from 'typebox';
import { PLAN_NAMES } from '../../domain/accounts/plan.ts';
import { ACTIVITY_ACTIONS } from '../../domain/accounts/activity.ts';
import {
  closed,
  example,
  nullable,
  oneOf,
  page,
  pageView,
  Provider,
  Time,
} from '../http/schemas.ts';

export const MeView = Type.Object({
  accountId: example(Type.String(), 'acme'),
  plan: example(oneOf(PLAN_NAMES), 'starter'),
  keyMode: oneOf(['live', 'test']),
  providers: example(Type.Array(Provider), ['aws', 'r2']),
  usage: Type.Object({
    period: example(Type.String({ examples: ['2026-11'] }), '2026-11'),
    gbRouted: example(Type.Number(), 41.5),
    uploads: example(Type.Integer(), 1204),
    gbBooked: example(
      Type.Number({ description: 'counted against the quota, uploads under way too' }),
      41.75,
    ),
    uploadsBooked: example(Type.Integer(), 1210),
    gbQuota: nullable(example(Type.Number({ description: 'null: unlimited' }), 500)),
    uploadQuota: nullable(example(Type.Integer({ description: 'null: unlimited' }), 50_000)),
  }),
});

export const ApiKeyView = Type.Object({
  apiKey: Type.Union([
    Type.Object({
      masked: example(Type.String(), 'svc_live_1a2…9f3c'),
      createdAt: Time,
      lastUsedAt: nullable(Time),
    }),
    Type.Null(),
  ]),
});

export const NewApiKeyView = Type.Object({
  apiKey: example(Type.String(), 'svc_live_<uuid, shown this once>'),
  createdAt: Time,
});
export const RotationView = Type.Object({
  newApiKey: example(Type.String(), 'svc_live_<uuid, shown this once>'),
  rotatedAt: Time,
});

export const PersonView = Type.Object({
  subject: example(Type.String(), 'auth0|65f0c2'),
  name: example(Type.String(), 'Ada Example'),
  mayChange: example(
    Type.Boolean({ description: 'whether the role allows calls that change something' }),
    true,
  ),
  changingRoles: example(
    Type.Array(Type.String(), {
      description: 'of which one is needed for them, if the operator has named a claim of roles',
    }),
    ['approver', 'admin'],
  ),
});

export const ActivityQuery = Type.Object({ ...page }, closed);

export const ActivityView = Type.Object({
  at: Time,
  subject: example(Type.String({ description: "the `sub` of the person's token" }), 'auth0|65f0c2'),
  name: example(
    Type.String({ description: 'its `name`, or else `email`, or else `sub`' }),
    'Ada Example',
  ),
  action: example(oneOf(ACTIVITY_ACTIONS), 'migration.approved'),
  on: example(
    Type.String({ description: 'the id of what was changed' }),
    '5f2b8e0a-6a3e-5d0c-9b1f-7c2d4e6f8a90',
  ),
  requestId: example(Type.String(), '0c3f5c1e-2f0b-4c0e-9a51-6d2f8f7b1a34'),
  certificateSha256: Type.Optional(
    Type.String({ description: 'the SHA-256 of the certificate of `drill.completed`, as JSON' }),
  ),
});

export const ActivityPage = Type.Object({ items: Type.Array(ActivityView), ...pageView });
