import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import type { FaultSpec, Faults } from '../control/faults.ts';
import type { Ledger, LedgerEntry } from '../control/ledger.ts';
import type { Directory } from '../identity/directory.ts';
import type { Bodies } from '../store/bodies.ts';
import { closed, textBody, writeAnswer, type AnswerBody, type Spoil } from '../wire/answer.ts';
import { AwsError } from '../wire/errors.ts';
import type { WireRequest } from '../wire/request.ts';
import { unreachable } from '../wire/unreachable.ts';
import { element, textElement } from '../wire/xml.ts';
import { readAddress, type Address } from './address.ts';
import type { Buckets, Operation, Reply, ReplyBody } from './call.ts';
import { openCall } from './door.ts';
import { dispatch } from './dispatch.ts';
import { createMatcher } from './match.ts';

/** What the S3 side works with. */
export interface S3Deps {
  readonly directory: Directory;
  readonly buckets: Buckets;
  readonly bodies: Bodies;
  readonly faults: Faults;
  readonly ledger: Ledger;
  readonly operations: readonly Operation[];
  now(): number;
}

/** Answers one request, whatever happens. */
export type Serve = (request: WireRequest) => Promise<void>;

const NOWHERE: Address = { bucket: null, key: null, hostRegion: null };

/** Creates the S3 side. */
export function createS3(deps: S3Deps): Serve {
  const match = createMatcher(deps.operations);
  return async (request) => {
    const ids = { requestId: randomBytes(8).toString('hex').toUpperCase(), hostId: hostId() };
    let address = NOWHERE;
    let failure: unknown = null;
    try {
      address = readAddress(request);
    } catch (error) {
      failure = error;
    }
    const operation = failure === null ? match(request, address) : null;
    const entry = deps.ledger.open({
      atMs: deps.now(),
      service: 's3',
      operation: operation?.name ?? 'Unknown',
      bucket: address.bucket,
      key: address.key,
    });
    try {
      if (failure !== null) throw failure;
      await answer(deps, { request, address, operation, entry, ids });
    } catch (error) {
      await answerError(request, entry, ids, error);
    } finally {
      deps.ledger.close(entry);
    }
  };
}

interface Ids {
  readonly requestId: string;
  readonly hostId: string;
}

interface Work {
  readonly request: WireRequest;
  readonly address: Address;
  readonly operation: Operation | null;
  readonly entry: LedgerEntry;
  readonly ids: Ids;
}

function hostId(): string {
  return createHash('sha256').update(randomBytes(8)).digest('base64');
}

async function answer(deps: S3Deps, work: Work): Promise<void> {
  const { request, address, operation, entry, ids } = work;
  const call = openCall(request, address, deps);
  entry.caller = call.principal.arn;
  if (operation === null) {
    throw new AwsError(
      'MethodNotAllowed',
      'The specified method is not allowed against this resource.',
      { details: { Method: request.method } },
    );
  }
  const fault = deps.faults.take(entry);
  if (fault !== null && (await befall(fault, operation, request)) === 'gone') return;
  const reply = await dispatch(call, operation, address);
  entry.status = reply.status;
  const headers = { ...standardHeaders(ids, request), ...reply.headers, ...typeOf(reply.body) };
  const body = bodyOf(reply, deps.bodies);
  await writeAnswer(request.outgoing, { status: reply.status, headers, body }, spoilOf(fault));
}

/** Plays a fault that comes before the request is looked at. */
async function befall(
  fault: FaultSpec,
  operation: Operation,
  request: WireRequest,
): Promise<'go on' | 'gone'> {
  if (fault.latencyMs !== undefined) await delay(fault.latencyMs);
  switch (fault.effect) {
    case 'slow_down':
      throw new AwsError('SlowDown', 'Please reduce your request rate.');
    case 'internal_error':
      throw new AwsError('InternalError', 'We encountered an internal error. Please try again.');
    case 'access_denied':
      throw new AwsError('AccessDenied', 'Access Denied');
    case 'hang':
      // The body is taken in, or the client could not tell a server that hangs from a slow network.
      if (request.expectsContinue) request.outgoing.writeContinue();
      request.incoming.resume();
      await closed(request.outgoing);
      return 'gone';
    case 'cut': {
      const at = fault.at ?? (operation.name === 'GetObject' ? 'response' : 'request');
      if (at === 'response') return 'go on';
      request.incoming.socket.destroy();
      return 'gone';
    }
    case 'truncate':
    case 'latency':
      return 'go on';
    default:
      return unreachable(fault.effect);
  }
}

function spoilOf(fault: FaultSpec | null): Spoil {
  return fault?.effect === 'cut' || fault?.effect === 'truncate' ? fault.effect : null;
}

function bodyOf(reply: Reply, bodies: Bodies): AnswerBody | null {
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

function standardHeaders(ids: Ids, request: WireRequest): Record<string, string> {
  const headers: Record<string, string> = {
    server: 'AmazonS3',
    'x-amz-request-id': ids.requestId,
    'x-amz-id-2': ids.hostId,
  };
  // Whether the body still comes nobody knows once `100 Continue` was withheld: start afresh.
  if (request.expectsContinue && !request.incoming.complete) headers['connection'] = 'close';
  return headers;
}

async function answerError(
  request: WireRequest,
  entry: LedgerEntry,
  ids: Ids,
  error: unknown,
): Promise<void> {
  const { outgoing } = request;
  if (outgoing.headersSent || outgoing.destroyed || request.incoming.errored) {
    outgoing.destroy();
    return;
  }
  const known =
    error instanceof AwsError
      ? error
      : new AwsError('InternalError', `The double itself failed: ${String(error)}`);
  entry.status = known.status;
  const headers = { ...standardHeaders(ids, request), ...known.headers };
  // HEAD, and 304, have no body by HTTP's own rules.
  const silent = request.method === 'HEAD' || known.status === 304;
  if (!silent) headers['content-type'] = 'application/xml';
  // As S3 does: without a length of any kind node's clients would give the connection up.
  if (request.method === 'HEAD') headers['transfer-encoding'] = 'chunked';
  const body = silent ? null : textBody(errorDocument(known, ids));
  await writeAnswer(outgoing, { status: known.status, headers, body }, null);
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
