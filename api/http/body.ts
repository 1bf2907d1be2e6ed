import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { AppError } from '../../domain/common/errors.ts';

const MEDIA = 'application/json';

/** Checks the text of a body before it is parsed. @throws the refusal */
export type VerifyText = (text: string, ctx: Context) => void;

/**
 * Reads the request's JSON body of at most `maxBytes`; undefined if there is none.
 *
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
    // The JSON parser of koa-body refuses a byte order mark and replaces broken UTF-8, so the body
    // is read as one character per byte.
    encoding: 'latin1',
    onError: refuse,
  });
  return async (ctx) => {
    if (ctx.get('transfer-encoding') === '' && !ctx.request.length) return undefined;
    const isJson = ctx.is(MEDIA) !== false;
    if (!isJson || ctx.get('content-encoding') !== '') throw new AppError('unsupported_media_type');
    await readText(ctx, async () => {});
    const { rawBody = '' } = ctx.request;
    const bytes = Buffer.from(rawBody, 'latin1');
    const text = parse('UTF-8', () => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    verify?.(text, ctx);
    return rawBody === '' ? undefined : { value: parse('JSON', (): unknown => JSON.parse(text)) };
  };
}

/** @throws AppError `invalid_request` */
function parse<T>(format: 'UTF-8' | 'JSON', read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new AppError('invalid_request', `The request body is not valid ${format}.`, { cause });
  }
}

function refuse(cause: Error, ctx: Context): never {
  if ((cause as { status?: number }).status === 413) {
    // Closing a connection with unread bytes resets it, and the client may lose the answer.
    ctx.req.resume();
    throw new AppError('payload_too_large', undefined, { cause });
  }
  // The rest of the body would be read as the next request.
  ctx.set('Connection', 'close');
  throw new AppError('invalid_request', 'The request body is not valid JSON.', { cause });
}
