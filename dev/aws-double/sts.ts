import { randomUUID } from 'node:crypto';

import { type ExchangeDeps, serveExchange } from './control/exchange.ts';
import {
  type Directory,
  isAccessAllowed,
  type Principal,
  type RoleSpec,
} from './identity/directory.ts';
import { type ConditionContext, evaluatePolicies, readPolicy } from './identity/policy.ts';
import { sha256 } from './signature/sigv4.ts';
import { verifySignature } from './signature/verification.ts';
import { AwsError, toAwsError } from './wire/errors.ts';
import {
  decodeUtf8,
  isRegion,
  parseQuery,
  readSmallBody,
  type WireRequest,
} from './wire/request.ts';
import { type Answer, textAnswer } from './wire/response.ts';
import { writeXml, type XmlValue } from './wire/xml.ts';

/** Dependencies of the STS server. */
interface StsDeps extends ExchangeDeps {
  readonly directory: Directory;
}

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const MAX_FORM_BYTES = 64 * 1024;

/** Creates the STS server: `AssumeRole` and `GetCallerIdentity` in the query protocol. */
export function createSts(deps: StsDeps): (request: WireRequest) => Promise<void> {
  return async (request) => {
    const requestId = randomUUID();
    const body = await readSmallBody(request, MAX_FORM_BYTES);
    const form = readForm(request, body);
    const operation = form.get('Action') ?? 'Unknown';
    const answer = (root: string, fields: { readonly [name: string]: XmlValue }, status: number) =>
      textAnswer(
        writeXml(root, fields).replace(`<${root}>`, `<${root} xmlns="${NAMESPACE}">`),
        { 'content-type': 'text/xml', 'x-amzn-requestid': requestId },
        status,
      );
    await serveExchange(deps, {
      request,
      subject: { service: 'sts', operation, bucket: null, key: form.get('RoleArn') ?? null },
      prepare() {
        if (body.length > MAX_FORM_BYTES) throw new AwsError('ValidationError');
        const caller = authenticate(request, body, deps);
        return {
          caller: caller.arn,
          run: () =>
            answer(
              `${operation}Response`,
              {
                [`${operation}Result`]: run(operation, form, caller, deps),
                ResponseMetadata: { RequestId: requestId },
              },
              200,
            ),
        };
      },
      toErrorAnswer({ code, message, status }): Answer {
        const Type = status < 500 ? 'Sender' : 'Receiver';
        const Error = { Type, Code: code, Message: message };
        return answer('ErrorResponse', { Error, RequestId: requestId }, status);
      },
    });
  };
}

function readForm(request: WireRequest, body: Buffer): Form {
  const text = body.toString('latin1').replaceAll('+', '%20');
  const query = request.method === 'POST' ? parseQuery(text) : request.query;
  return new Map(query.pairs.map(([name, value]) => [name, decodeUtf8(value) ?? value]));
}

function authenticate(request: WireRequest, body: Buffer, deps: StsDeps): Principal {
  try {
    const { parsed, credential } = verifySignature(request, {
      service: 'sts',
      nowMs: deps.now(),
      find: (accessKeyId) => deps.directory.find(accessKeyId),
      // Unlike S3, the other services hash the body themselves and ignore the header.
      payloadHash: () => sha256(body),
    });
    if (isRegion(parsed.region)) return credential.principal;
  } catch (error) {
    throw toStsError(toAwsError(error), request);
  }
  const message = 'Credential should be scoped to a valid region.';
  throw new AwsError('SignatureDoesNotMatch', { message });
}

/** STS's code for a failed verification, of which the signature knows S3's. */
function toStsError({ code, message }: AwsError, { headers, query }: WireRequest): AwsError {
  const isSigned = headers.has('authorization') || query.get('X-Amz-Signature') !== undefined;
  if (!isSigned) return new AwsError('MissingAuthenticationToken');
  switch (code) {
    case 'InternalError':
      return new AwsError(code, { message });
    case 'InvalidAccessKeyId':
    case 'InvalidToken':
      return new AwsError('InvalidClientTokenId');
    case 'ExpiredToken':
      // 403 here, 400 in S3.
      return new AwsError('ExpiredToken', { status: 403 });
    default:
      return new AwsError('SignatureDoesNotMatch', { message });
  }
}

function run(action: string, form: Form, caller: Principal, deps: StsDeps): XmlValue {
  switch (action) {
    case 'GetCallerIdentity':
      return { Arn: caller.arn, UserId: caller.userId, Account: caller.accountId };
    case 'AssumeRole':
      return assumeRole(form, caller, deps);
    default:
      throw new AwsError('InvalidAction', { message: `Could not find operation ${action}` });
  }
}

/** A form, as the query protocol sends it. */
type Form = ReadonlyMap<string, string>;

const DEFAULT_DURATION_SECONDS = 3600;
const MIN_DURATION_SECONDS = 900;
/** Of every role: AWS's default of `MaxSessionDuration`, and the most for role chaining. */
const MAX_DURATION_SECONDS = 3600;
const MAX_POLICY_CHARACTERS = 2048;

/**
 * Opens a session of a role for a caller.
 *
 * @throws AwsError `ValidationError`, `MalformedPolicyDocument`, `AccessDenied`
 */
function assumeRole(form: Form, caller: Principal, { directory, now }: StsDeps): XmlValue {
  const roleArn = readField(form, 'RoleArn', /^arn:aws:iam::[0-9]{12}:role\/[\w+=,.@/-]{1,512}$/);
  const sessionName = readField(form, 'RoleSessionName', /^[\w+=,.@-]{2,64}$/);
  const externalId = form.has('ExternalId')
    ? readField(form, 'ExternalId', /^[\w+=,.@:/-]{2,1224}$/)
    : null;
  const durationSeconds = Number(form.get('DurationSeconds') ?? DEFAULT_DURATION_SECONDS);
  const isDuration =
    Number.isInteger(durationSeconds) &&
    durationSeconds >= MIN_DURATION_SECONDS &&
    durationSeconds <= MAX_DURATION_SECONDS;
  if (!isDuration) throw invalid('DurationSeconds', form.get('DurationSeconds'));
  const policyText = form.get('Policy');
  if (policyText !== undefined && policyText.length > MAX_POLICY_CHARACTERS) {
    throw invalid('Policy', policyText);
  }
  const sessionPolicy = policyText === undefined ? null : readPolicy(policyText);
  if (policyText !== undefined && sessionPolicy === null) {
    throw new AwsError('MalformedPolicyDocument');
  }
  const role = directory.role(roleArn);
  const context: ConditionContext = new Map([
    ['aws:principalarn', caller.policyArn],
    ['aws:principalaccount', caller.accountId],
    ['sts:rolesessionname', sessionName],
    ...(externalId === null ? [] : ([['sts:externalid', externalId]] as const)),
  ]);
  if (role === undefined || !canAssume(role, caller, context)) {
    throw new AwsError('AccessDenied', {
      message: `User: ${caller.arn} is not authorized to perform: sts:AssumeRole on resource: ${roleArn}`,
    });
  }
  const expiresAtMs = now() + durationSeconds * 1000;
  const session = directory.openSession({ roleArn, sessionName, sessionPolicy, expiresAtMs });
  const { accessKeyId, secretAccessKey, token, principal } = session;
  return {
    Credentials: {
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      SessionToken: token,
      Expiration: new Date(expiresAtMs).toISOString(),
    },
    AssumedRoleUser: { AssumedRoleId: principal.userId, Arn: principal.arn },
  };
}

/**
 * Both sides must agree: the role's trust policy, and the caller's own policies.
 * Source: "Methods to assume a role", IAM User Guide.
 */
function canAssume(role: RoleSpec, principal: Principal, context: ConditionContext): boolean {
  const action = 'sts:AssumeRole';
  const { accountId, policyArn: arn } = principal;
  const trusted = { action, resource: null, principal: { arn, accountId }, context };
  return (
    evaluatePolicies([role.trustPolicy], trusted) === 'allow' &&
    isAccessAllowed({
      principal,
      action,
      context,
      resource: role.roleArn,
      ownerAccountId: null,
      resourcePolicy: null,
    })
  );
}

function readField(form: Form, name: string, grammar: RegExp): string {
  const value = form.get(name);
  if (value !== undefined && grammar.test(value)) return value;
  throw invalid(name, value);
}

function invalid(name: string, value = 'null'): AwsError {
  return new AwsError('ValidationError', {
    message: `1 validation error detected: Value '${value}' at '${name}' failed to satisfy constraint`,
  });
}
