import { createHash, randomBytes } from 'node:crypto';

import { hasOperation } from '../store/behaviour.ts';
import { serveExchange, type ExchangeDeps } from '../control/exchange.ts';
import type { Bucket, Buckets } from '../store/bucket.ts';
import { AwsError } from '../wire/errors.ts';
import type { WireRequest } from '../wire/request.ts';
import { emptyAnswer, textAnswer, type Answer } from '../wire/response.ts';
import { writeXml } from '../wire/xml.ts';
import {
  type Address,
  type AuthorizationDeps,
  authorizeCall,
  readAddress,
} from './authorization.ts';
import type { Operation, ServiceCall } from './call.ts';
import { answerPreflight, corsHeaders } from './cors.ts';
import { matchOperation } from './operations.ts';

/** A preflight: the only request that is answered without a signature. */
const PREFLIGHT = 'OptionsObject';

/** Dependencies of the S3 server. */
type S3Deps = AuthorizationDeps & ExchangeDeps;

/** Creates the S3 server, which serves one request and never rejects. */
export function createS3(deps: S3Deps): (request: WireRequest) => Promise<void> {
  const { buckets } = deps;
  return async (request) => {
    const address = tryReadAddress(request);
    const { bucket = '', key = '' } = address ?? {};
    const operation = address && matchOperation(request, address);
    const isPreflight = request.method === 'OPTIONS' && key !== '';
    const name = isPreflight ? PREFLIGHT : (operation?.name ?? 'Unknown');
    const headers = commonHeaders(request, buckets.get(bucket));
    await serveExchange(deps, {
      request,
      subject: { service: 's3', operation: name, bucket: bucket || null, key: key || null },
      prepare() {
        if (isPreflight) {
          const preflight = () => answerPreflight(request, findBucket(buckets, bucket));
          return { caller: null, run: () => emptyAnswer(200, { ...headers(), ...preflight() }) };
        }
        const call = authorizeCall(request, readAddress(request), deps);
        if (operation === null) throw new AwsError('MethodNotAllowed');
        const run = async (): Promise<Answer> => {
          const answer = await dispatch(call, operation, key);
          return { ...answer, headers: { ...headers(), ...answer.headers } };
        };
        return { caller: call.principal.arn, run };
      },
      toErrorAnswer: (error) => toErrorAnswer(request, error, headers()),
    });
  };
}

/** Null for an address that is refused, later than the request is logged. */
function tryReadAddress(request: WireRequest): Address | null {
  try {
    return readAddress(request);
  } catch {
    return null;
  }
}

/**
 * Runs an operation after checking bucket, region, owner and permission.
 *
 * @throws AwsError `NoSuchBucket`, `PermanentRedirect`, `AccessDenied`, and what the operation throws
 */
function dispatch(call: ServiceCall, operation: Operation, key: string): Promise<Answer> | Answer {
  const { action } = operation;
  const { bucketName: name, principal } = call;
  if (operation.level === 'service' || operation.level === 'new-bucket') {
    const { accountId } = principal;
    const bucket = name === '' ? null : { name, accountId, settings: new Map<string, string>() };
    if (action !== null) call.authorize(action, { bucket, key });
    refuseUnsupported(call, operation);
    return operation.run(call);
  }
  const bucket = findBucket(call.buckets, name);
  // GetBucketLocation works at every endpoint: clients use it to find the right one.
  if (bucket.region !== call.region && operation.name !== 'GetBucketLocation') {
    throw new AwsError('PermanentRedirect', {
      details: { Endpoint: `${name}.s3.${bucket.region}.amazonaws.com`, Bucket: name },
      headers: { 'x-amz-bucket-region': bucket.region },
    });
  }
  const owner = call.request.headers.get('x-amz-expected-bucket-owner') ?? bucket.accountId;
  if (owner !== bucket.accountId) throw new AwsError('AccessDenied');
  if (action !== null) call.authorize(action, { bucket, key });
  refuseUnsupported(call, operation);
  return operation.run({ ...call, bucket, key });
}

/**
 * Refuses what the store does not have.
 *
 * @throws AwsError `NotImplemented`, or the store's code of a header or parameter
 */
function refuseUnsupported(
  { behaviour, request: { headers, query } }: ServiceCall,
  { name, level }: Operation,
): void {
  if (!hasOperation(behaviour, name)) {
    throw new AwsError('NotImplemented', { message: `${name} not implemented` });
  }
  const { refusedHeaders, refusedParameters, refusal } = behaviour;
  const names = [...headers.keys(), ...query.pairs.map(([each]) => each.toLowerCase())];
  const refused =
    refusedParameters.find((parameter) => query.get(parameter) !== undefined) ??
    names.find(
      (each) => level === 'object' && refusedHeaders.some((start) => each.startsWith(start)),
    );
  if (refused !== undefined) throw new AwsError(refusal, { message: `Unsupported: ${refused}` });
}

/** @throws AwsError `NoSuchBucket` */
function findBucket(buckets: Buckets, name: string): Bucket {
  const bucket = buckets.get(name);
  if (bucket === undefined) throw new AwsError('NoSuchBucket', { details: { BucketName: name } });
  return bucket;
}

/** The headers of every answer, as of the time when it is sent. */
function commonHeaders(
  request: WireRequest,
  bucket: Bucket | undefined,
): () => Record<string, string> {
  const headers = {
    server: 'AmazonS3',
    'x-amz-request-id': randomBytes(8).toString('hex').toUpperCase(),
    'x-amz-id-2': createHash('sha256').update(randomBytes(8)).digest('base64'),
    // Let a page of another origin read the answer.
    ...corsHeaders(request, bucket),
  };
  // After a withheld `100 Continue` the client may or may not send the body: close the connection.
  return () =>
    request.expectsContinue && !request.incoming.complete
      ? { ...headers, connection: 'close' }
      : headers;
}

function toErrorAnswer({ method }: WireRequest, error: AwsError, common: Record<string, string>) {
  const { code, message, status, details } = error;
  const headers = { ...common, ...error.headers };
  // HTTP forbids a body in responses to HEAD and with 304. As S3 does: without any length node's
  // clients would close the connection after a HEAD.
  if (method === 'HEAD') return emptyAnswer(status, { ...headers, 'transfer-encoding': 'chunked' });
  if (status === 304) return emptyAnswer(status, headers);
  const ids = { RequestId: common['x-amz-request-id'], HostId: common['x-amz-id-2'] };
  const document = writeXml('Error', { Code: code, Message: message, ...details, ...ids });
  return textAnswer(`<?xml version="1.0" encoding="UTF-8"?>\n${document}`, headers, status);
}
