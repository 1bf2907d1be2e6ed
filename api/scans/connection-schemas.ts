import { Type } from 'typebox';
import { CATALOGUE, SCANNED_PROVIDER } from '../../domain/provider/catalogue.ts';
import { DUE_OUTCOMES, PERIODS } from '../../domain/scan/schedule.ts';
import { closed, Id, nullable, oneOf, Time } from '../http/schemas.ts';

/** Requests and answers of connections and their schedules. */

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-arns */
const ROLE_ARN =
  '^arn:aws(-cn|-us-gov)?:iam::[0-9]{12}:role/([!-~]{1,511}/)?[A-Za-z0-9_+=,.@-]{1,64}$';
/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
const EXTERNAL_ID = '^[A-Za-z0-9_+=,.@:/-]{2,1224}$';
const MAX_REGIONS = 40;

const Region = Type.String({
  pattern: CATALOGUE[SCANNED_PROVIDER].regionPattern.source,
  description: 'a region of AWS, such as eu-central-1',
});

export const ConnectRequest = Type.Object(
  {
    roleArn: Type.String({
      minLength: 20,
      maxLength: 2048,
      pattern: ROLE_ARN,
      description: 'the ARN of a role, such as arn:aws:iam::111122223333:role/Name',
    }),
    externalId: Type.String({
      pattern: EXTERNAL_ID,
      description: '2 to 1,224 letters, digits and characters of _+=,.@:/-',
    }),
    regions: Type.Array(Region, { minItems: 1, maxItems: MAX_REGIONS, uniqueItems: true }),
  },
  closed,
);

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
  roleArn: Type.String(),
  externalId: Type.String(),
  regions: Type.Array(Type.String()),
  bucketCount: Type.Integer(),
  warnings: Type.Array(Type.String()),
  createdAt: Time,
  schedule: nullable(ScheduleView),
});

export const ConnectionList = Type.Object({ items: Type.Array(ConnectionView) });
