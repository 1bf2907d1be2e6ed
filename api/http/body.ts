import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { AppError } from '../../domain/common/errors.ts';

const MEDIA = 'application/json';

/** Checks a body as it was sent, before it is parsed; throws what it is refused with. */
export type VerifyText = (text: string, ctx: Context) => void;

/**
 * Reads the request's JSON body of at most `maxBytes`.
 *
 * @returns undefined where no body was sent.
 * @throws AppError `unsupported_media_type`, `payload_too_large`, `invalid_request`
 */
export type ReadJson = (ctx: Context) => Promise<{ readonly value: unknown } | undefined>;

export function createReadJson(maxBytes: number, verify?: VerifyText): ReadJson {
  const readText = koaBody({
    json: false,
    urlencoded: false,
    textTypes: [MEDIA],
    textLimit: maxBytes,
    includeUnparsed: true,
    // One character a byte: the decoding below refuses what is not UTF-8.
    encoding: 'latin1',
    onError: refuse,
  });
  return async (ctx) => {
    if (!hasBody(ctx)) return undefined;
    const isJson = ctx.is(MEDIA) !== false;
    if (!isJson || ctx.get('content-encoding') !== '') throw new AppError('unsupported_media_type');
    await readText(ctx, async () => {});
    const { rawBody = '' } = ctx.request;
    const text = decode(rawBody);
    verify?.(text, ctx);
    return rawBody === '' ? undefined : { value: parse(text) };
  };
}

/** Without a byte order mark, which RFC 8259 lets a parser ignore. */
function decode(rawBody: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(rawBody, 'latin1'));
  } catch (cause) {
    throw new AppError('invalid_request', 'The request body is not valid UTF-8.', { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('invalid_request', 'The request body is not valid JSON.', { cause });
  }
}

function hasBody(ctx: Context): boolean {
  return ctx.get('transfer-encoding') !== '' || (ctx.request.length ?? 0) > 0;
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
