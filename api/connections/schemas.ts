import { Type } from 'typebox';
import { MAX_EXTERNAL_ID_CHARACTERS } from '../../domain/connections/connection.ts';
import { DUE_SCAN_OUTCOMES, SCAN_PERIODS } from '../../domain/connections/schedule.ts';
import { BucketName } from '../providers/schemas.ts';
import {
  closed,
  example,
  HourUtc,
  ids,
  KnownProvider,
  nullable,
  oneOf,
  Provider,
  Time,
} from '../http/schemas.ts';

/** Requests and answers of connections and their schedules. */

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-arns */
const ROLE_ARN =
  '^arn:aws(-cn|-us-gov)?:iam::[0-9]{12}:role/([!-~]{1,511}/)?[A-Za-z0-9_+=,.@-]{1,64}$';
/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
const EXTERNAL_ID = `^[A-Za-z0-9_+=,.@:/-]{2,${MAX_EXTERNAL_ID_CHARACTERS}}$`;
const MAX_REGIONS = 40;
const MAX_BUCKETS = 1_000;
const AWS_REGION = '^[a-z]{2,3}(?:-[a-z]{2,12}){1,3}-[0-9]{1,3}$';

/** The example of a role. */
const ROLE = {
  roleArn: 'arn:aws:iam::111122223333:role/StorageRoutingReadOnly',
  externalId: 'a9f1c2d3-example',
  regions: ['us-east-1'],
};

const Region = Type.String({
  pattern: AWS_REGION,
  description: 'a region of AWS, such as eu-central-1',
});

const RoleRequest = Type.Object(
  {
    roleArn: example(
      Type.String({
        minLength: 20,
        maxLength: 2048,
        pattern: ROLE_ARN,
        description: 'the ARN of a role, such as arn:aws:iam::111122223333:role/Name',
      }),
      ROLE.roleArn,
    ),
    externalId: example(
      Type.String({
        pattern: EXTERNAL_ID,
        description:
          '16 to 1,224 letters, digits and characters of _+=,.@:/-; a connection that has a shorter one keeps it',
      }),
      ROLE.externalId,
    ),
    regions: example(
      Type.Array(Region, { minItems: 1, maxItems: MAX_REGIONS, uniqueItems: true }),
      ROLE.regions,
    ),
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
  awsAccountId: example(Type.String({ pattern: '^[0-9]{12}$' }), '999988887777'),
  templateUrl: nullable(
    example(
      Type.String(),
      'https://storage-routing.s3.us-east-1.amazonaws.com/storage-routing-role.yaml',
    ),
  ),
});

export const ConnectionId = Type.Object({ connectionId: ids.connection }, closed);
export const ScheduleRequest = Type.Object(
  {
    every: example(oneOf(SCAN_PERIODS), 'week'),
    hourUtc: HourUtc,
  },
  closed,
);

export const ScheduleView = Type.Object({
  every: example(oneOf(SCAN_PERIODS), 'week'),
  hourUtc: HourUtc,
  nextAt: example(Time, '2026-11-27T03:24:51.000Z'),
  last: nullable(
    Type.Object(
      {
        at: example(Time, '2026-11-20T03:25:10.000Z'),
        scanId: nullable(ids.scan),
        outcome: oneOf(DUE_SCAN_OUTCOMES),
      },
      { description: 'what became of the last time; null until the first' },
    ),
  ),
});

export const ConnectionView = Type.Object({
  connectionId: ids.connection,
  roleArn: Type.Optional(example(Type.String({ description: 'of an AWS account' }), ROLE.roleArn)),
  externalId: Type.Optional(
    example(Type.String({ description: 'masked for a person who may only read' }), ROLE.externalId),
  ),
  regions: Type.Optional(example(Type.Array(Type.String()), ROLE.regions)),
  provider: Type.Optional(Provider),
  buckets: Type.Optional(
    nullable(Type.Array(Type.String(), { description: 'null: all that may be listed' })),
  ),
  bucketCount: example(Type.Integer(), 1),
  warnings: example(Type.Array(Type.String()), []),
  createdAt: Time,
  schedule: nullable(ScheduleView),
});

export const ConnectionList = Type.Object({ items: Type.Array(ConnectionView) });
