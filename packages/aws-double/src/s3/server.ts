import { createHash, randomBytes } from 'node:crypto';

import { applyFault } from '../control/apply-fault.ts';
import type { FaultSpec, Faults } from '../control/faults.ts';
import type { RequestLog, RequestLogEntry } from '../control/request-log.ts';
import type { Directory } from '../identity/directory.ts';
import type { Bodies } from '../store/bodies.ts';
import type { Buckets } from '../store/bucket.ts';
import { textBody, writeResponse, type WireBody, type Corruption } from '../wire/response.ts';
import { AwsError, toAwsError } from '../wire/errors.ts';
import type { WireRequest } from '../wire/request.ts';
import { unreachable } from '../wire/unreachable.ts';
import { element, textElement } from '../wire/xml.ts';
import { readAddress, type Address } from './address.ts';
import { emptyReply, type Operation, type Reply, type ReplyBody } from './call.ts';
import { authorizeCall } from './authorization.ts';
import { answerPreflight, corsHeaders } from './cors.ts';
import { dispatch, existingBucket } from './dispatch.ts';
import { createMatcher } from './match.ts';

/** A preflight: the only request that is answered without a signature. */
const PREFLIGHT = 'OptionsObject';
const SLOW_DOWN = 'Please reduce your request rate.';

/** Dependencies of the S3 server. */
export interface S3Deps {
  readonly directory: Directory;
  readonly buckets: Buckets;
  readonly bodies: Bodies;
  readonly faults: Faults;
  readonly requestLog: RequestLog;
  readonly operations: readonly Operation[];
  now(): number;
}

/** Serves one request and never rejects. */
export type Serve = (request: WireRequest) => Promise<void>;

const NO_ADDRESS: Address = { bucket: null, key: null, hostRegion: null };

/** Creates the S3 server. */
export function createS3(deps: S3Deps): Serve {
  const match = createMatcher(deps.operations);
  return async (request) => {
    const ids = { requestId: randomBytes(8).toString('hex').toUpperCase(), hostId: hostId() };
    let address = NO_ADDRESS;
    let cors: Readonly<Record<string, string>> = {};
    let failure: unknown = null;
    try {
      address = readAddress(request);
      cors = corsHeaders(request, deps.buckets.get(address.bucket ?? ''));
    } catch (error) {
      failure = error;
    }
    const operation = failure === null ? match(request, address) : null;
    const isPreflight = request.method === 'OPTIONS' && address.key !== null;
    const entry = deps.requestLog.open({
      atMs: deps.now(),
      service: 's3',
      operation: isPreflight ? PREFLIGHT : (operation?.name ?? 'Unknown'),
      bucket: address.bucket,
      key: address.key,
    });
    try {
      if (failure !== null) throw failure;
      await answer(deps, { request, address, operation, entry, ids, cors });
    } catch (error) {
      await answerError({ request, entry, ids, cors }, error);
    } finally {
      deps.requestLog.close(entry);
    }
  };
}

interface Ids {
  readonly requestId: string;
  readonly hostId: string;
}

interface RequestContext {
  readonly request: WireRequest;
  readonly address: Address;
  readonly operation: Operation | null;
  readonly entry: RequestLogEntry;
  readonly ids: Ids;
  /** What lets a page of another origin read the response. */
  readonly cors: Readonly<Record<string, string>>;
}

function hostId(): string {
  return createHash('sha256').update(randomBytes(8)).digest('base64');
}

async function answer(deps: S3Deps, work: RequestContext): Promise<void> {
  const { request, entry, cors } = work;
  const run = prepare(deps, work);
  const fault = deps.faults.take(entry);
  const faulted = { request, operation: entry.operation, slowDownMessage: SLOW_DOWN };
  if (fault !== null && (await applyFault(fault, faulted)) === 'ended') return;
  const reply = await run();
  entry.status = reply.status;
  const headers = { ...standardHeaders(work), ...cors, ...reply.headers, ...typeOf(reply.body) };
  const body = bodyOf(reply, deps.bodies);
  await writeResponse(
    request.outgoing,
    { status: reply.status, headers, body },
    corruptionOf(fault),
  );
}

/** Authenticates the request, and returns what remains to be done. */
function prepare(deps: S3Deps, work: RequestContext): () => Promise<Reply> {
  const { request, address, operation, entry } = work;
  if (entry.operation === PREFLIGHT) {
    return async () =>
      emptyReply(200, answerPreflight(request, existingBucket(deps.buckets, address)));
  }
  const call = authorizeCall(request, address, deps);
  entry.caller = call.principal.arn;
  if (operation === null) {
    throw new AwsError(
      'MethodNotAllowed',
      'The specified method is not allowed against this resource.',
      { details: { Method: request.method } },
    );
  }
  return () => dispatch(call, operation, address);
}

function corruptionOf(fault: FaultSpec | null): Corruption {
  return fault?.effect === 'cut' || fault?.effect === 'truncate' ? fault.effect : null;
}

function bodyOf(reply: Reply, bodies: Bodies): WireBody | null {
  const { body } = reply;
  switch (body.kind) {
    case 'none':
      return null;
    case 'text':
      return textBody(body.text);
    case 'object':
      return {
        sizeBytes: body.end - body.start,
        read: (end) => bodies.read(body.body, body.start, body.start + end),
      };
    default:
      return unreachable(body);
  }
}

function typeOf(body: ReplyBody): Record<string, string> {
  return body.kind === 'text' ? { 'content-type': body.contentType } : {};
}

function standardHeaders({
  ids,
  request,
}: Pick<RequestContext, 'ids' | 'request'>): Record<string, string> {
  const headers: Record<string, string> = {
    server: 'AmazonS3',
    'x-amz-request-id': ids.requestId,
    'x-amz-id-2': ids.hostId,
  };
  // After a withheld `100 Continue` the client may or may not send the body: close the connection.
  if (request.expectsContinue && !request.incoming.complete) headers['connection'] = 'close';
  return headers;
}

async function answerError(
  work: Pick<RequestContext, 'request' | 'entry' | 'ids' | 'cors'>,
  error: unknown,
): Promise<void> {
  const { request, entry, ids, cors } = work;
  const { outgoing } = request;
  if (outgoing.headersSent || outgoing.destroyed || request.incoming.errored) {
    outgoing.destroy();
    return;
  }
  const known = toAwsError(error);
  entry.status = known.status;
  const headers = { ...standardHeaders(work), ...cors, ...known.headers };
  // HTTP forbids a body in responses to HEAD and with 304.
  const hasNoBody = request.method === 'HEAD' || known.status === 304;
  if (!hasNoBody) headers['content-type'] = 'application/xml';
  // As S3 does: without any length node's clients would close the connection.
  if (request.method === 'HEAD') headers['transfer-encoding'] = 'chunked';
  const body = hasNoBody ? null : textBody(errorDocument(known, ids));
  await writeResponse(outgoing, { status: known.status, headers, body }, null);
}

function errorDocument(error: AwsError, ids: Ids): string {
  const document = element(
    'Error',
    textElement('Code', error.code),
    textElement('Message', error.message),
    ...Object.entries(error.details).map(([name, value]) => textElement(name, value)),
    textElement('RequestId', ids.requestId),
    textElement('HostId', ids.hostId),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${document}`;
}
