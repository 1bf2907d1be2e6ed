import { permissionsPolicy } from './permissions.ts';

/** What the customer's role must demand. */
export interface Trust {
  /** The AWS account of the service, 12 digits. */
  readonly serviceAccountId: string;
  readonly externalId: string;
}

export const ROLE_NAME = 'StorageRoutingReadOnly';
/** The page of the AWS console that creates a stack. */
export const NEW_STACK = 'https://console.aws.amazon.com/cloudformation/home#/stacks/create';
const STACK_NAME = 'storage-routing-role';
export const TEMPLATE_NAME = 'storage-routing-role.yaml';
const ACCOUNT_ID = /^[0-9]{12}$/;

export function isAccountId(text: string): boolean {
  return ACCOUNT_ID.test(text);
}

/** 128 random bits, in the characters that AWS takes. */
export function createExternalId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The condition without which any customer of the service could have this role read. */
export function trustCondition(externalId: string) {
  return { StringEquals: { 'sts:ExternalId': externalId } };
}

/** Who may assume the role. */
export function trustPolicy({ serviceAccountId, externalId }: Trust) {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: `arn:aws:iam::${serviceAccountId}:root` },
        Action: 'sts:AssumeRole',
        Condition: trustCondition(externalId),
      },
    ],
  };
}

/**
 * The CloudFormation template of the role. With a trust its parameters have defaults, so that
 * nothing is left to fill in.
 */
export function roleTemplate(trust?: Trust): string {
  return `AWSTemplateFormatVersion: '2010-09-09'
Description: >-
  A read-only role by which the Storage Routing Service audits the S3 buckets of this account.
  It lists buckets, objects, versions and incomplete uploads, and reads seven settings of each bucket.
  The last statement may be left out: it reads the S3 lines of the bill and metrics.
  It cannot read the content of any object, and it cannot change anything.

Parameters:
  ServiceAccountId:
    Type: String
${trust ? `    Default: '${trust.serviceAccountId}'\n` : ''}    AllowedPattern: '^[0-9]{12}$'
    Description: The AWS account of the service, as its dashboard shows it.
  ExternalId:
    Type: String
${trust ? `    Default: '${trust.externalId}'\n` : ''}    AllowedPattern: '^[A-Za-z0-9_+=,.@:/-]{16,1224}$'
    Description: A text that only you and the service know. A random UUID is a good one.
  RoleName:
    Type: String
    Default: ${ROLE_NAME}
    AllowedPattern: '^[A-Za-z0-9_+=,.@-]{1,64}$'

Resources:
  Role:
    Type: AWS::IAM::Role
    Properties:
      RoleName: !Ref RoleName
      Description: Read-only audit of S3 by the Storage Routing Service
      MaxSessionDuration: 3600
      AssumeRolePolicyDocument:
        Version: '2012-10-17'
        Statement:
          - Effect: Allow
            Principal:
              AWS: !Sub arn:\${AWS::Partition}:iam::\${ServiceAccountId}:root
            Action: sts:AssumeRole
            Condition:
              StringEquals:
                sts:ExternalId: !Ref ExternalId
      Policies:
        - PolicyName: StorageRoutingScan
          PolicyDocument:
            Version: '2012-10-17'
            Statement:
${permissionsPolicy()
  .Statement.map(
    ({ Sid, Effect, Action, Resource }) => `              - Sid: ${Sid}
                Effect: ${Effect}
                Action:
${list(Action)}
                Resource:
${list(Resource)}`,
  )
  .join('\n')}

Outputs:
  RoleArn:
    Description: What to connect with, as roleArn
    Value: !GetAtt Role.Arn
`;
}

function list(items: readonly string[]): string {
  return items.map((item) => `                  - ${item === '*' ? "'*'" : item}`).join('\n');
}

/**
 * Opens the AWS console with a stack of the published template, for this trust.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cfn-console-create-stacks-quick-create-links.html
 */
export function quickCreateLink(
  templateUrl: string,
  { serviceAccountId, externalId }: Trust,
): string {
  const values = {
    templateURL: templateUrl,
    stackName: STACK_NAME,
    param_ServiceAccountId: serviceAccountId,
    param_ExternalId: externalId,
  };
  const query = Object.entries(values).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  return `${NEW_STACK}/review?${query.join('&')}`;
}

/** Creates the role from the template in the folder of the shell, and prints its ARN. */
export function deployCommand(): string {
  return [
    'aws cloudformation deploy \\',
    `  --stack-name ${STACK_NAME} \\`,
    `  --template-file ${TEMPLATE_NAME} \\`,
    '  --capabilities CAPABILITY_NAMED_IAM',
    `aws cloudformation describe-stacks --stack-name ${STACK_NAME} \\`,
    "  --query 'Stacks[0].Outputs[0].OutputValue' --output text",
  ].join('\n');
}
