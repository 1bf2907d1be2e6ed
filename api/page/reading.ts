import type { Context } from 'koa';
import { AppError } from '../../domain/errors.ts';

/** @throws AppError `method_not_allowed`, with the `Allow` header */
export function requireReading(ctx: Context): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return;
  ctx.set('Allow', 'GET, HEAD');
  throw new AppError('method_not_allowed');
}
