import { createHash, randomUUID } from 'node:crypto';

import { applyFault } from '../control/apply-fault.ts';
import type { Faults } from '../control/faults.ts';
import type { RequestLog, RequestLogEntry } from '../control/request-log.ts';
import type { Credential, Directory, Principal } from '../identity/directory.ts';
import { verifySignature } from '../signature/verification.ts';
import { textBody, writeResponse } from '../wire/response.ts';
import { AwsError, toAwsError } from '../wire/errors.ts';
import { decodeUtf8, parseQuery } from '../wire/query.ts';
import { REGIONS } from '../wire/regions.ts';
import type { WireRequest } from '../wire/request.ts';
import { element, textElement } from '../wire/xml.ts';
import { assumeRole, type Form } from './assume.ts';
import { toStsError } from './errors.ts';

/** Dependencies of the STS server. */
export interface StsDeps {
  readonly directory: Directory;
  readonly faults: Faults;
  readonly requestLog: RequestLog;
  now(): number;
}

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const SLOW_DOWN = 'Rate exceeded';
const MAX_FORM_BYTES = 64 * 1024;

/** Creates the STS server: `AssumeRole` and `GetCallerIdentity` in the query protocol. */
export function createSts(deps: StsDeps): (request: WireRequest) => Promise<void> {
  return async (request) => {
    const requestId = randomUUID();
    let entry: RequestLogEntry | null = null;
    try {
      const body = await readBody(request);
      const form = readForm(request, body);
      const action = form.get('Action') ?? 'Unknown';
      const where = { bucket: null, key: form.get('RoleArn') ?? null };
      entry = deps.requestLog.open({
        atMs: deps.now(),
        service: 'sts',
        operation: action,
        ...where,
      });
      const caller = authenticate(request, body, deps);
      entry.caller = caller.arn;
      const fault = deps.faults.take(entry);
      const faulted = { request, operation: action, slowDownMessage: SLOW_DOWN };
      if (fault !== null && (await applyFault(fault, faulted)) === 'ended') return;
      const result = run(action, form, caller, deps);
      const cut = fault?.effect === 'cut' ? 'cut' : null;
      entry.status = 200;
      await send(request, 200, requestId, successDocument(action, result, requestId), cut);
    } catch (error) {
      const known = toAwsError(error);
      if (entry !== null) entry.status = known.status;
      if (request.outgoing.headersSent || request.outgoing.destroyed) request.outgoing.destroy();
      else await send(request, known.status, requestId, errorDocument(known, requestId), null);
    } finally {
      if (entry !== null) deps.requestLog.close(entry);
    }
  };
}

async function readBody(request: WireRequest): Promise<Buffer> {
  if (request.expectsContinue) request.outgoing.writeContinue();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request.incoming as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_FORM_BYTES)
      throw new AwsError('ValidationError', 'The request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function readForm(request: WireRequest, body: Buffer): Form {
  const text = body.toString('latin1').replaceAll('+', '%20');
  const query = request.method === 'POST' ? parseQuery(text) : request.query;
  return new Map(query.pairs.map(([name, value]) => [name, decodeUtf8(value) ?? value]));
}

function authenticate(request: WireRequest, body: Buffer, deps: StsDeps): Principal {
  const verified = verifySignature<Credential>(request, {
    service: 'sts',
    nowMs: deps.now(),
    find: (accessKeyId) => deps.directory.find(accessKeyId),
    // Unlike S3, the other services hash the body themselves and ignore the header.
    payloadHash: () => createHash('sha256').update(body).digest('hex'),
  });
  if (!verified.ok) throw toStsError(verified.failure);
  if (!REGIONS.has(verified.parsed.region)) {
    throw new AwsError('SignatureDoesNotMatch', 'Credential should be scoped to a valid region.');
  }
  return verified.credential.principal;
}

function run(action: string, form: Form, caller: Principal, deps: StsDeps): string {
  switch (action) {
    case 'GetCallerIdentity':
      return [
        textElement('Arn', caller.arn),
        textElement('UserId', caller.userId),
        textElement('Account', caller.accountId),
      ].join('');
    case 'AssumeRole': {
      const session = assumeRole(form, caller, deps.directory, deps.now());
      return [
        element(
          'Credentials',
          textElement('AccessKeyId', session.accessKeyId),
          textElement('SecretAccessKey', session.secretAccessKey),
          textElement('SessionToken', session.token),
          textElement('Expiration', new Date(session.expiresAtMs).toISOString()),
        ),
        element(
          'AssumedRoleUser',
          textElement('AssumedRoleId', session.principal.userId),
          textElement('Arn', session.principal.arn),
        ),
      ].join('');
    }
    default:
      throw new AwsError(
        'InvalidAction',
        `Could not find operation ${action} for version ${form.get('Version') ?? ''}`,
      );
  }
}

function successDocument(action: string, result: string, requestId: string): string {
  const metadata = element('ResponseMetadata', textElement('RequestId', requestId));
  return `<${action}Response xmlns="${NAMESPACE}">${element(`${action}Result`, result)}${metadata}</${action}Response>`;
}

function errorDocument(error: AwsError, requestId: string): string {
  const detail = element(
    'Error',
    textElement('Type', error.status < 500 ? 'Sender' : 'Receiver'),
    textElement('Code', error.code),
    textElement('Message', error.message),
  );
  return `<ErrorResponse xmlns="${NAMESPACE}">${detail}${textElement('RequestId', requestId)}</ErrorResponse>`;
}

async function send(
  request: WireRequest,
  status: number,
  requestId: string,
  document: string,
  corruption: 'cut' | null,
): Promise<void> {
  const headers = { 'content-type': 'text/xml', 'x-amzn-requestid': requestId };
  await writeResponse(request.outgoing, { status, headers, body: textBody(document) }, corruption);
}
