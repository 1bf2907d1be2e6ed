import { Type } from 'typebox';
import { MAX_EXTERNAL_ID_CHARACTERS } from '../../domain/connections/connection.ts';
import { DUE_OUTCOMES, PERIODS } from '../../domain/connections/schedule.ts';
import { BucketName } from '../providers/schemas.ts';
import { closed, Id, nullable, oneOf, Provider, Time, KnownProvider } from '../http/schemas.ts';

/** Requests and answers of connections and their schedules. */

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-arns */
const ROLE_ARN =
  '^arn:aws(-cn|-us-gov)?:iam::[0-9]{12}:role/([!-~]{1,511}/)?[A-Za-z0-9_+=,.@-]{1,64}$';
/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
const EXTERNAL_ID = `^[A-Za-z0-9_+=,.@:/-]{2,${MAX_EXTERNAL_ID_CHARACTERS}}$`;
const MAX_REGIONS = 40;
const MAX_BUCKETS = 1_000;
const AWS_REGION = '^[a-z]{2,3}(?:-[a-z]{2,12}){1,3}-[0-9]{1,3}$';

const Region = Type.String({
  pattern: AWS_REGION,
  description: 'a region of AWS, such as eu-central-1',
});

const RoleRequest = Type.Object(
  {
    roleArn: Type.String({
      minLength: 20,
      maxLength: 2048,
      pattern: ROLE_ARN,
      description: 'the ARN of a role, such as arn:aws:iam::111122223333:role/Name',
    }),
    externalId: Type.String({
      pattern: EXTERNAL_ID,
      description:
        '16 to 1,224 letters, digits and characters of _+=,.@:/-; a connection that has a shorter one keeps it',
    }),
    regions: Type.Array(Region, { minItems: 1, maxItems: MAX_REGIONS, uniqueItems: true }),
  },
  closed,
);

const StoreRequest = Type.Object(
  {
    provider: KnownProvider,
    buckets: Type.Optional(
      nullable(
        Type.Array(BucketName, {
          maxItems: MAX_BUCKETS,
          uniqueItems: true,
          description:
            "to read besides the provider's own; null: all that the stored credentials may list",
        }),
      ),
    ),
  },
  closed,
);

/** A role of an AWS account, or the stored credentials of another store. */
export const ConnectRequest = Type.Union([RoleRequest, StoreRequest], {
  ...closed,
  properties: Object.fromEntries(
    [RoleRequest, StoreRequest].flatMap(({ properties }) =>
      Object.keys(properties).map((name) => [name, {}]),
    ),
  ),
});

export const ServiceIdentityView = Type.Object({
  awsAccountId: Type.String({ pattern: '^[0-9]{12}$' }),
  templateUrl: nullable(Type.String()),
});

export const ConnectionId = Type.Object({ connectionId: Id }, closed);
export const ScheduleRequest = Type.Object(
  {
    every: oneOf(PERIODS),
    hourUtc: Type.Integer({ minimum: 0, maximum: 23 }),
  },
  closed,
);

export const ScheduleView = Type.Object({
  every: oneOf(PERIODS),
  hourUtc: Type.Integer(),
  nextAt: Time,
  last: nullable(
    Type.Object(
      {
        at: Time,
        scanId: nullable(Id),
        outcome: oneOf(DUE_OUTCOMES),
      },
      { description: 'what became of the last time; null until the first' },
    ),
  ),
});

export const ConnectionView = Type.Object({
  connectionId: Id,
  roleArn: Type.Optional(Type.String({ description: 'of an AWS account' })),
  externalId: Type.Optional(Type.String({ description: 'masked for a person who may only read' })),
  regions: Type.Optional(Type.Array(Type.String())),
  provider: Type.Optional(Provider),
  buckets: Type.Optional(
    nullable(Type.Array(Type.String(), { description: 'null: all that may be listed' })),
  ),
  bucketCount: Type.Integer(),
  warnings: Type.Array(Type.String()),
  createdAt: Time,
  schedule: nullable(ScheduleView),
});

export const ConnectionList = Type.Object({ items: Type.Array(ConnectionView) });
