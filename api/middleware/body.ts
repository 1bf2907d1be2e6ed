import type { Context } from 'koa';
import getRawBody from 'raw-body';
import { AppError } from '../../domain/errors.ts';

const MAX_BODY_BYTES = 64 * 1024;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A body, as it came and as it reads. */
export interface JsonBody {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/**
 * Reads the request's JSON.
 *
 * @returns undefined where no body was sent.
 * @throws AppError `unsupported_media_type`, `payload_too_large` or `invalid_request`.
 */
export async function readJsonBody(
  ctx: Context,
  maxBytes = MAX_BODY_BYTES,
): Promise<JsonBody | undefined> {
  const { request } = ctx;
  if (request.length === 0 || !hasBody(ctx)) return undefined;
  if (
    ctx.is('application/json') === false ||
    (ctx.get('content-encoding') || 'identity') !== 'identity'
  ) {
    throw new AppError('unsupported_media_type');
  }
  const bytes = await readBytes(ctx, maxBytes);
  return bytes.length === 0 ? undefined : { bytes, value: parse(bytes) };
}

function hasBody(ctx: Context): boolean {
  return ctx.get('transfer-encoding') !== '' || (ctx.request.length ?? 0) > 0;
}

async function readBytes(ctx: Context, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(ctx.req, { limit, length: ctx.request.length ?? null });
  } catch (cause) {
    // What is left of the body would be read as the next request.
    ctx.set('Connection', 'close');
    const tooLarge = (cause as { type?: string }).type === 'entity.too.large';
    throw new AppError(tooLarge ? 'payload_too_large' : 'invalid_request', undefined, { cause });
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch {
    throw new AppError('invalid_request', 'The request body is not valid JSON.');
  }
}
