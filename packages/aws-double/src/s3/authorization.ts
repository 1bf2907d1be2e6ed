import { evaluateAccess } from '../identity/access.ts';
import type { ConditionContext } from '../identity/condition.ts';
import type { Credential, Directory, Principal } from '../identity/directory.ts';
import { readPolicy } from '../identity/policy.ts';
import { EMPTY_SHA256 } from '../signature/canonical.ts';
import type { ParsedSignature } from '../signature/parsed-signature.ts';
import { verifySignature } from '../signature/verification.ts';
import type { Bodies } from '../store/bodies.ts';
import type { Buckets } from '../store/bucket.ts';
import { AwsError } from '../wire/errors.ts';
import { DEFAULT_REGION, REGIONS } from '../wire/regions.ts';
import type { WireRequest } from '../wire/request.ts';
import type { Address } from './address.ts';
import type { Call, Target } from './call.ts';
import { receivePayload } from './payload.ts';
import { toS3Error, wrongRegion } from './errors.ts';

/** Dependencies of {@link authorizeCall}. */
export interface AuthorizationDeps {
  readonly directory: Directory;
  readonly buckets: Buckets;
  readonly bodies: Bodies;
  now(): number;
}

const MAX_TEXT_BYTES = 2 * 1024 * 1024;

/**
 * Authenticates a request and binds the caller's permissions to it.
 *
 * @throws AwsError S3's code for the verification failure
 */
export function authorizeCall(
  request: WireRequest,
  address: Address,
  deps: AuthorizationDeps,
): Call {
  const nowMs = deps.now();
  const verified = verifySignature<Credential>(request, {
    service: 's3',
    nowMs,
    find: (accessKeyId) => deps.directory.find(accessKeyId),
    payloadHash: (parsed) => payloadHash(request, parsed),
  });
  if (!verified.ok) throw toS3Error(verified.failure, nowMs);
  const { parsed, key, payloadHash: hash } = verified;
  checkRegion(parsed, address, deps.buckets);
  const { principal } = verified.credential;
  const isAllowed = (action: string, target: Target): boolean =>
    evaluateAccess({
      principal,
      action,
      resource: resourceArn(target),
      ownerAccountId: target.bucket?.accountId ?? null,
      resourcePolicy: bucketPolicy(target.bucket),
      context: conditionContext(request, principal),
    });
  const receive: Call['receive'] = (keepUpToBytes = Number.POSITIVE_INFINITY) =>
    receivePayload(request, { parsed, key, payloadHash: hash }, deps.bodies, keepUpToBytes);
  return {
    request,
    principal,
    region: parsed.region,
    nowMs,
    buckets: deps.buckets,
    bodies: deps.bodies,
    isAllowed,
    authorize(action, target) {
      if (!isAllowed(action, target)) throw denied(principal, action, target);
    },
    receive,
    receiveText: async () => readText(deps.bodies, await receive()),
  };
}

/** The payload hash of the canonical request. Presigned URLs sign no payload unless they carry a hash. */
function payloadHash(request: WireRequest, parsed: ParsedSignature): string {
  const header = request.headers.get('x-amz-content-sha256');
  if (parsed.place === 'query') {
    return header ?? request.query.getAnyCase('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD';
  }
  if (header === undefined) {
    throw new AwsError(
      'InvalidRequest',
      'Missing required header for this request: x-amz-content-sha256',
    );
  }
  const known = /^(?:[0-9a-f]{64}|UNSIGNED-PAYLOAD|STREAMING-[A-Z0-9-]+)$/.test(header);
  if (!known) {
    throw new AwsError(
      'InvalidArgument',
      'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 value.',
    );
  }
  return request.method === 'GET' && header === '' ? EMPTY_SHA256 : header;
}

/**
 * One port serves the endpoints of all regions: without a region in the host, the region of the
 * signature decides.
 */
function checkRegion(parsed: ParsedSignature, address: Address, buckets: Buckets): void {
  const bucket = address.bucket === null ? undefined : buckets.get(address.bucket);
  if (address.hostRegion !== null && parsed.region !== address.hostRegion) {
    throw wrongRegion(parsed.place, parsed.region, address.hostRegion);
  }
  if (!REGIONS.has(parsed.region)) {
    throw wrongRegion(parsed.place, parsed.region, bucket?.region ?? DEFAULT_REGION);
  }
}

function resourceArn(target: Target): string {
  if (target.bucket === null) return '*';
  const bucket = `arn:aws:s3:::${target.bucket.name}`;
  return target.key === null ? bucket : `${bucket}/${target.key}`;
}

function bucketPolicy(bucket: Target['bucket']): ReturnType<typeof readPolicy> {
  const text = bucket?.settings.get('policy');
  return text === undefined ? null : readPolicy(text);
}

function conditionContext(request: WireRequest, principal: Principal): ConditionContext {
  const context = new Map([
    ['aws:principalarn', principal.policyArn],
    ['aws:principalaccount', principal.accountId],
    ['aws:securetransport', 'false'],
  ]);
  for (const name of ['prefix', 'delimiter', 'max-keys']) {
    const value = request.query.get(name);
    if (value !== undefined) context.set(`s3:${name}`, value);
  }
  return context;
}

function denied(principal: Principal, action: string, target: Target): AwsError {
  return new AwsError(
    'AccessDenied',
    `User: ${principal.arn} is not authorized to perform: ${action} on resource: "${resourceArn(target)}" because no identity-based policy allows the ${action} action`,
  );
}

async function readText(
  bodies: Bodies,
  received: { readonly body: Parameters<Bodies['read']>[0] },
): Promise<string> {
  const { body } = received;
  if (body.sizeBytes > MAX_TEXT_BYTES) {
    await bodies.release(body);
    throw new AwsError('EntityTooLarge', 'The document is too large');
  }
  const chunks: Buffer[] = [];
  for await (const chunk of bodies.read(body, 0, body.sizeBytes)) chunks.push(chunk);
  await bodies.release(body);
  return Buffer.concat(chunks).toString('utf8');
}
