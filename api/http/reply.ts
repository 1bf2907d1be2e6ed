import { finished, Readable } from 'node:stream';
import type { Context } from 'koa';
import { AppError } from '../../domain/common/errors.ts';
import { allowPage } from './answers.ts';
import type { Media, Reply, Route } from './route.ts';

/** Static documents change with a release. */
const CACHED = 'public, max-age=300';
/** Each stream holds a cursor and a piece of its answer until the client has read it. */
const MAX_STREAMS_PER_ACCOUNT = 8;

/** The media type of the route that `Accept` prefers; the first one if none fits. */
export function negotiate(ctx: Context, { media, otherMedia }: Route): Media | undefined {
  if (media === undefined || otherMedia === undefined) return media;
  ctx.vary('Accept');
  const all = [media, ...otherMedia];
  const accepted = ctx.accepts(...all);
  return all.find((one) => one === accepted) ?? media;
}

/**
 * Writes a handler's reply. It serialises here, so that a failure becomes an error answer.
 *
 * @throws AppError `rate_limited` if the account reads too many streams from this process at once
 */
export type SendReply = (ctx: Context, media: Media | undefined, reply: Reply) => void;

export function createSendReply(): SendReply {
  const limitStreams = createLimitStreams();
  return (ctx, media, { status, body, etag }) => {
    ctx.status = status;
    if (body === undefined) {
      ctx.body = null;
    } else if (typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Readable) {
      if (body instanceof Readable) {
        limitStreams(ctx, body);
        // A truncated answer must not look complete.
        body.once('error', () => ctx.res.destroy());
      }
      if (media === 'text/html') allowPage(ctx);
      ctx.type = `${media ?? 'text/plain'}; charset=utf-8`;
      ctx.body = body;
    } else {
      ctx.type = 'application/json; charset=utf-8';
      ctx.body = JSON.stringify(body);
    }
    if (etag === undefined) return;
    ctx.set({ ETag: etag, 'Cache-Control': CACHED });
    if (ctx.fresh) ctx.status = 304;
  };
}

function createLimitStreams(): (ctx: Context, stream: Readable) => void {
  const open = new Map<string, number>();
  return (ctx, stream) => {
    const accountId = String(ctx.state['accountId']);
    const streams = open.get(accountId) ?? 0;
    if (streams >= MAX_STREAMS_PER_ACCOUNT) {
      stream.destroy();
      throw new AppError('rate_limited', 'Too many long answers are being read at the same time.');
    }
    open.set(accountId, streams + 1);
    // Unlike a listener for `close`, it is also called for a client that has disconnected already.
    finished(ctx.res, () => {
      const left = (open.get(accountId) ?? 1) - 1;
      if (left === 0) open.delete(accountId);
      else open.set(accountId, left);
    });
  };
}
