import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { AppError } from '../../domain/errors.ts';

/** A request's JSON body. */
export interface JsonBody {
  /** As it was sent. */
  readonly text: string;
  readonly value: unknown;
}

/**
 * Reads the request's JSON body of at most `maxBytes`.
 *
 * @returns undefined where no body was sent.
 * @throws AppError `unsupported_media_type`, `payload_too_large`, `invalid_request`
 */
export type ReadJsonBody = (ctx: Context) => Promise<JsonBody | undefined>;

export function createReadJsonBody(maxBytes: number): ReadJsonBody {
  const parse = koaBody({
    jsonTypes: ['application/json'],
    jsonLimit: maxBytes,
    // Scalars are refused by the route's schema, with a detail.
    jsonStrict: false,
    text: false,
    urlencoded: false,
    includeUnparsed: true,
    onError: refuse,
  });
  return async (ctx) => {
    if (!hasBody(ctx)) return undefined;
    const isJson = ctx.is('application/json') !== false;
    if (!isJson || ctx.get('content-encoding') !== '') throw new AppError('unsupported_media_type');
    await parse(ctx, async () => {});
    const { body: value, rawBody: text } = ctx.request as { body?: unknown; rawBody: string };
    requireUtf8(ctx, text);
    return text === '' ? undefined : { text, value };
  };
}

function hasBody(ctx: Context): boolean {
  return ctx.get('transfer-encoding') !== '' || (ctx.request.length ?? 0) > 0;
}

/** The parser replaces bytes that are not UTF-8 by U+FFFD, which changes the length. */
function requireUtf8({ request }: Context, text: string): void {
  if (text.includes('\uFFFD') && Buffer.byteLength(text) !== request.length)
    throw new AppError('invalid_request', 'The request body is not valid UTF-8.');
}

function refuse(cause: Error, ctx: Context): never {
  if ((cause as { status?: number }).status === 413) {
    // A connection that is closed with bytes to read is reset, and the client may lose the answer.
    ctx.req.resume();
    throw new AppError('payload_too_large', undefined, { cause });
  }
  // The rest of the body would be read as the next request.
  ctx.set('Connection', 'close');
  throw new AppError('invalid_request', 'The request body is not valid JSON.', { cause });
}
