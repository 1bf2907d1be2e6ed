import { type Behaviour, resolveRegion } from '../store/behaviour.ts';
import { type Directory, isAccessAllowed } from '../identity/directory.ts';
import { readPolicy } from '../identity/policy.ts';
import type { ParsedSignature } from '../signature/parse.ts';
import { receivePayload } from '../signature/payload.ts';
import { verifySignature } from '../signature/verification.ts';
import { type Bodies, readBody } from '../store/bodies.ts';
import type { Buckets } from '../store/bucket.ts';
import { AwsError, type AwsErrorCode } from '../wire/errors.ts';
import {
  amzHeader,
  decodeUtf8,
  DEFAULT_REGION,
  percentDecode,
  type WireRequest,
} from '../wire/request.ts';
import type { ServiceCall, Target } from './call.ts';

/** Dependencies of {@link authorizeCall}. */
export interface AuthorizationDeps {
  readonly behaviour: Behaviour;
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
  { bucket: bucketName }: Address,
  { behaviour, directory, buckets, bodies, now }: AuthorizationDeps,
): ServiceCall {
  const nowMs = now();
  const { parsed, credential, payloadHash } = verifySignature(request, {
    service: 's3',
    nowMs,
    takesEmptyRegion: resolveRegion(behaviour, '') !== null,
    find: directory.find,
    payloadHash: ({ place }) => readPayloadHash(request, place),
  });
  const region = resolveRegion(behaviour, parsed.region);
  const { principal } = credential;
  // One port serves the endpoints of all regions: the region of the signature decides.
  if (region === null) {
    const right = behaviour.region ?? buckets.get(bucketName)?.region ?? DEFAULT_REGION;
    throw wrongRegion(parsed.place, parsed.region, right, behaviour.regionError);
  }
  function isAllowed(action: string, { bucket, key, ifMatch }: Target): boolean {
    const policy = bucket?.settings.get('policy');
    const context = new Map([
      ['aws:principalarn', principal.policyArn],
      ['aws:principalaccount', principal.accountId],
      ['aws:securetransport', 'false'],
    ]);
    if (ifMatch !== undefined) context.set('s3:if-match', ifMatch);
    for (const name of ['prefix', 'delimiter', 'max-keys']) {
      const value = request.query.get(name);
      if (value !== undefined) context.set(`s3:${name}`, value);
    }
    return isAccessAllowed({
      principal,
      action,
      resource: formatArn({ bucket, key }),
      ownerAccountId: bucket?.accountId ?? null,
      resourcePolicy: policy === undefined ? null : readPolicy(policy),
      context,
    });
  }
  const receive: ServiceCall['receive'] = (keepUpToBytes) =>
    receivePayload(request, payloadHash, bodies, keepUpToBytes, behaviour.contentMd5 === 'checked');
  return {
    behaviour,
    request,
    principal,
    region,
    bucketName,
    nowMs,
    buckets,
    isAllowed,
    receive,
    authorize(action, target) {
      if (isAllowed(action, target)) return;
      throw new AwsError('AccessDenied', {
        message: `User: ${principal.arn} is not authorized to perform: ${action} on resource: "${formatArn(target)}"`,
      });
    },
    async receiveText() {
      const { body } = await receive(MAX_TEXT_BYTES);
      if (body.kind === 'discarded') throw new AwsError('EntityTooLarge');
      const chunks: Buffer[] = [];
      for await (const chunk of readBody(body, 0, body.sizeBytes)) chunks.push(chunk);
      return Buffer.concat(chunks).toString('utf8');
    },
  };
}

/** The payload hash of the canonical request. Presigned URLs sign no payload unless they carry a hash. */
function readPayloadHash(request: WireRequest, place: ParsedSignature['place']): string {
  const hash = amzHeader(request, 'x-amz-content-sha256');
  if (place === 'query') return hash ?? 'UNSIGNED-PAYLOAD';
  if (/^(?:[0-9a-f]{64}|UNSIGNED-PAYLOAD|STREAMING-[A-Z0-9-]+)$/.test(hash ?? ''))
    return hash ?? '';
  throw new AwsError('InvalidRequest', {
    message: 'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a STREAMING form or a sha256 value.',
  });
}

/** Wrong signing region: S3 names the right one, and clients sign again with it. */
export function wrongRegion(
  place: ParsedSignature['place'],
  given: string,
  right: string,
  code: AwsErrorCode | null = null,
): AwsError {
  const ofS3 =
    place === 'query' ? 'AuthorizationQueryParametersError' : 'AuthorizationHeaderMalformed';
  return new AwsError(code ?? ofS3, {
    message: `the region '${given}' is wrong; expecting '${right}'`,
    details: { Region: right },
    headers: { 'x-amz-bucket-region': right },
  });
}

function formatArn({ bucket, key }: Target): string {
  if (bucket === null) return '*';
  return `arn:aws:s3:::${bucket.name}${key === '' ? '' : `/${key}`}`;
}

/** The bucket and object that a request addresses. */
export interface Address {
  /** Empty for the service itself. */
  readonly bucket: string;
  /** Opaque: the path after the bucket's slash, decoded once and never normalised. Empty: none. */
  readonly key: string;
}

const MAX_KEY_BYTES = 1024;

/**
 * Reads path-style addresses, and virtual-hosted ones: `bucket.localhost` and `bucket.s3.localhost`.
 *
 * @throws AwsError `InvalidURI`, `KeyTooLongError`
 */
export function readAddress({ headers, rawPath }: WireRequest): Address {
  const host = headers.get('host')?.toLowerCase() ?? '';
  const [, virtualBucket] = /^(?!s3\.)(.+?)(?:\.s3)?\.localhost(?::[0-9]+)?$/.exec(host) ?? [];
  const path = rawPath.slice(1);
  const [name = ''] = path.split('/', 1);
  const key = decode(virtualBucket === undefined ? path.slice(name.length + 1) : path);
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) throw new AwsError('KeyTooLongError');
  return { bucket: virtualBucket ?? decode(name), key };
}

function decode(raw: string): string {
  const text = decodeUtf8(percentDecode(raw));
  if (text === null) throw new AwsError('InvalidURI');
  return text;
}
