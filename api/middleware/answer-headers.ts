import type { Context, Middleware } from 'koa';

const NOTHING_BUT_DATA = "default-src 'none'; frame-ancestors 'none'";
/** A page names what it may load in a `meta` element, which cannot forbid frames. */
const PAGE = "frame-ancestors 'none'";

/** Of every answer, those of the HTTP parser included. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': NOTHING_BUT_DATA,
  'Referrer-Policy': 'no-referrer',
};

/**
 * Sets what browsers and caches must know of every answer
 * (https://cheatsheetseries.owasp.org/cheatsheets/REST_Security_Cheat_Sheet.html#security-headers).
 * `Strict-Transport-Security` is sent over TLS only (RFC 6797 section 7.2), as a trusted proxy reports it.
 */
export const setAnswerHeaders: Middleware = (ctx, next) => {
  ctx.set(COMMON_HEADERS);
  if (ctx.secure) ctx.set('Strict-Transport-Security', 'max-age=31536000');
  return next();
};

/** For an answer that a browser shows. */
export function allowPage(ctx: Context): void {
  ctx.set('Content-Security-Policy', PAGE);
}
