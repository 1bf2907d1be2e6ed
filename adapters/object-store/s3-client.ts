import type * as Sdk from '@aws-sdk/client-s3';
import { queryString, type BucketAddress } from './address.ts';
import { withinBounds, type CallOptions } from './call-bounds.ts';
import { StoreError, classifyRefusal } from './errors.ts';
import type { StoreResponse, UnsignedStoreRequest } from './http-messages.ts';

export interface S3CallOptions extends CallOptions {
  /** How long the store may neither send nor receive. */
  readonly idleMs?: number;
}

/**
 * Makes a call through the official SDK, which is loaded by the first one.
 *
 * @throws StoreError and the signal's reason
 */
export type S3Call = <Input extends Sdk.ServiceInputTypes, Output extends Sdk.ServiceOutputTypes>(
  createCommand: (sdk: typeof Sdk) => Sdk.$Command<Input, Output, Sdk.S3ClientResolvedConfig>,
  options?: S3CallOptions,
) => Promise<Output>;

export interface S3ClientDeps {
  readonly address: BucketAddress;
  /** Signs a request and sends it. */
  readonly send: (
    request: UnsignedStoreRequest,
    options: Pick<S3CallOptions, 'signal' | 'keepsSent' | 'idleMs'>,
  ) => Promise<StoreResponse>;
}

type SdkHandler = Sdk.S3Client['config']['requestHandler'];
type SdkRequest = Parameters<SdkHandler['handle']>[0];

/** What `client.send` passes to the handler. */
interface HandlerOptions {
  readonly abortSignal?: AbortSignal;
  /** Instead of it where the answer to a sent request is awaited: the SDK goes on then, too. */
  readonly sendingSignal?: AbortSignal;
  readonly requestTimeout?: number;
}

/**
 * The SDK client of one bucket. Requests are signed by the header signer, with the store's time if
 * ours is wrong, and sent by the HTTP client of all stores, so that header bytes, time-outs and
 * refusals are the same as on the hot path.
 */
export function createS3Call(deps: S3ClientDeps): S3Call {
  const sendingErrors = new WeakSet<Error>();
  let client: Sdk.S3Client | undefined;
  return async (createCommand, { idleMs, keepsSent, ...options } = {}) => {
    const sdk = await import('@aws-sdk/client-s3');
    const s3 = (client ??= openClient(deps, sdk, sendingErrors));
    return await withinBounds(options, async ({ signal }) => {
      try {
        const handlerOptions: HandlerOptions = {
          ...(signal && (keepsSent ? { sendingSignal: signal } : { abortSignal: signal })),
          ...(idleMs === undefined ? {} : { requestTimeout: idleMs }),
        };
        return await s3.send(createCommand(sdk), handlerOptions);
      } catch (error) {
        // The SDK may notice the abort before the request does, and throws an error of its own.
        if (!keepsSent) signal?.throwIfAborted();
        if (!(error instanceof Error) || sendingErrors.has(error)) throw error;
        // The SDK's own: a document that it cannot read, or a refusal under status 200, with which
        // CompleteMultipartUpload responds before it knows its outcome.
        throw classifyRefusal(500, error.name);
      }
    });
  };
}

function openClient(
  { address, send }: S3ClientDeps,
  sdk: typeof Sdk,
  sendingErrors: WeakSet<Error>,
): Sdk.S3Client {
  const respond = async (request: SdkRequest, options: HandlerOptions) => {
    const { abortSignal, sendingSignal } = options;
    const { status, rawHeaders, body, errorCode } = await send(toUnsignedRequest(request), {
      signal: sendingSignal ?? abortSignal,
      keepsSent: sendingSignal !== undefined,
      ...(options.requestTimeout ? { idleMs: options.requestTimeout } : {}),
    });
    if (status >= 300) throw classifyRefusal(status, errorCode);
    if (!isWhole(body)) throw new StoreError('failed', new Error('the document is cut'), true);
    return { response: { statusCode: status, headers: toHeaderRecord(rawHeaders), body } };
  };
  const handler = {
    handle: (request: SdkRequest, options: HandlerOptions = {}) =>
      respond(request, options).catch((error: unknown) => {
        if (error instanceof Error) sendingErrors.add(error);
        throw error;
      }),
  };
  return new sdk.S3Client({
    region: address.region,
    endpoint: address.endpoint,
    forcePathStyle: address.pathPrefix !== '',
    // The signer holds the credentials.
    credentials: { accessKeyId: '', secretAccessKey: '' },
    // `send` signs.
    signer: { sign: (request) => Promise.resolve(request) },
    requestHandler: handler as SdkHandler,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

function toUnsignedRequest({
  method,
  path,
  query,
  headers,
  body,
}: SdkRequest): UnsignedStoreRequest {
  const pairs = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : '',
  ]);
  return {
    method,
    path,
    query: queryString(Object.fromEntries(pairs)).slice(1),
    headers,
    body: body === undefined ? undefined : Buffer.from(body as string | Uint8Array),
  };
}

function toHeaderRecord(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers[rawHeaders[at]?.toLowerCase() ?? ''] = rawHeaders[at + 1] ?? '';
  return headers;
}

/** The SDK's parser accepts a truncated document. */
function isWhole(body: Buffer): boolean {
  const document = body.toString('latin1').trimEnd();
  const root = /<([A-Za-z][\w:.-]*)/.exec(document)?.[1];
  return root === undefined || document.endsWith(`</${root}>`) || document.endsWith('/>');
}
