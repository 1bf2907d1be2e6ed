import { randomUUID } from 'node:crypto';

import { type ExchangeDeps, serveExchange } from '../control/exchange.ts';
import { type Directory, isAccessAllowed, type Principal } from '../identity/directory.ts';
import { sha256 } from '../signature/sigv4.ts';
import { verifySignature } from '../signature/verification.ts';
import { AwsError, type AwsErrorCode, toAwsError } from '../wire/errors.ts';
import { type AwsService, readSmallBody, type WireRequest } from '../wire/request.ts';
import { textAnswer } from '../wire/response.ts';

/** Dependencies of a service. */
export interface JsonServiceDeps extends ExchangeDeps {
  readonly directory: Directory;
}

/** A caller who may do what it asks for. */
export interface JsonCall {
  readonly caller: Principal;
  /** The region of the signature. */
  readonly region: string;
  readonly input: JsonObject;
}

export type JsonObject = Readonly<Record<string, unknown>>;

interface JsonService {
  readonly service: AwsService;
  /** As in `content-type: application/x-amz-json-1.1`. */
  readonly version: '1.0' | '1.1';
  /** What stands before an operation in `x-amz-target`. */
  readonly targetPrefix: string;
  readonly operations: Readonly<Record<string, (call: JsonCall) => JsonObject>>;
}

const MAX_BODY_BYTES = 2 ** 20;
/** Faults are thrown with S3's codes. */
const CODES: Readonly<Partial<Record<AwsErrorCode, AwsErrorCode>>> = {
  SlowDown: 'ThrottlingException',
  AccessDenied: 'AccessDeniedException',
  InvalidAccessKeyId: 'UnrecognizedClientException',
  InvalidToken: 'UnrecognizedClientException',
};

/** Creates the server of a service in the protocol AWS JSON. */
export function createJsonService(
  deps: JsonServiceDeps,
  { service, version, targetPrefix, operations }: JsonService,
): (request: WireRequest) => Promise<void> {
  return async (request) => {
    const body = await readSmallBody(request, MAX_BODY_BYTES);
    const target = request.headers.get('x-amz-target') ?? '';
    const operation = target.startsWith(`${targetPrefix}.`)
      ? target.slice(targetPrefix.length + 1)
      : 'Unknown';
    const answer = (document: JsonObject, status: number) =>
      textAnswer(
        JSON.stringify(document),
        {
          'content-type': `application/x-amz-json-${version}`,
          'x-amzn-requestid': randomUUID(),
        },
        status,
      );
    await serveExchange(deps, {
      request,
      subject: { service, operation, bucket: null, key: null },
      prepare() {
        const { parsed, credential } = verifySignature(request, {
          service,
          nowMs: deps.now(),
          find: (accessKeyId) => deps.directory.find(accessKeyId),
          payloadHash: () => sha256(body),
        });
        const caller = credential.principal;
        return {
          caller: caller.arn,
          run() {
            const run = operations[operation];
            if (run === undefined) throw new AwsError('UnknownOperationException');
            const action = `${service === 'ce' ? 'ce' : 'cloudwatch'}:${operation}`;
            const isAllowed = isAccessAllowed({
              principal: caller,
              action,
              resource: '*',
              ownerAccountId: null,
              resourcePolicy: null,
              context: new Map(),
            });
            if (!isAllowed)
              throw new AwsError('AccessDeniedException', {
                message: `User: ${caller.arn} is not authorized to perform: ${action}`,
              });
            return answer(run({ caller, region: parsed.region, input: readInput(body) }), 200);
          },
        };
      },
      toErrorAnswer(error) {
        const code = CODES[error.code] ?? error.code;
        return answer({ __type: code, message: error.message }, error.status >= 500 ? 500 : 400);
      },
    });
  };
}

function readInput(body: Buffer): JsonObject {
  try {
    return JSON.parse(body.toString('utf8')) as JsonObject;
  } catch (error) {
    throw new AwsError('ValidationException', { message: toAwsError(error).message });
  }
}

/** The error of an input that is not valid. */
export function invalid(what: string): AwsError {
  return new AwsError('ValidationException', { message: `${what} is not valid` });
}

/** One page of a list, and the token of the next one. @throws AwsError for a token that was not handed out */
export function pageOf<T>(
  items: readonly T[],
  token: unknown,
  size: number,
): { readonly page: readonly T[]; readonly next: string | undefined } {
  const at = token === undefined ? 0 : Number(token);
  if (!Number.isSafeInteger(at) || at < 0 || at > items.length)
    throw new AwsError('InvalidNextTokenException');
  const next = at + size < items.length ? String(at + size) : undefined;
  return { page: items.slice(at, at + size), next };
}
