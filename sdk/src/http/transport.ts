import type { Api } from './api-types.ts';
import { type ErrorDetail, invalidArgument, notify, StorageRoutingError } from './errors.ts';
import { type Cancellable, throwIfAborted, withDeadline } from './deadline.ts';
import { neverConnected, safeCause, withoutSecrets } from './failure.ts';
import { mayRepeat, parseRetryAfter, type Repeat, waitBeforeRepeat } from './retry.ts';
import { checkToken, type Settings } from './settings.ts';

/** The package's version, sent in `User-Agent`. A test compares it with package.json. */
const VERSION = '0.1.0';

/** A route of the service. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** At most one path parameter, as `{name}`. */
  path: string;
  auth: 'none' | 'apiKey' | 'dashboard';
  /** Default `safe`. */
  repeat?: Repeat;
  /** For an answer that is not JSON: text is returned unchanged, lines as an `OpenBody`. */
  media?: 'text/markdown' | 'text/html' | 'text/csv' | 'application/x-ndjson';
}

/** What a route answers: JSON as the service describes it, text, or a body of lines. */
export type Reply<R extends Route> = `${R['method']} ${R['path']}` extends infer Name extends
  keyof Api
  ? Api[Name] extends { reply: infer Body }
    ? Body
    : OpenBody
  : never;

/** An answer whose headers have arrived and whose body is unread. */
export interface OpenBody {
  /** Null if the body is empty. */
  body: ReadableStream<Uint8Array> | null;
  requestId: string;
  /** Ends the request. The reader calls it once, also after a failure. */
  close: () => void;
}

/** Options common to all calls. */
export interface CallOptions extends Cancellable {
  /** Sent as `X-Request-ID` with every attempt; 1-128 of `A-Za-z0-9._-`. Default: a UUID. */
  requestId?: string | undefined;
  /** Called before each wait for a repeated attempt. An exception ends the call. */
  onRetry?: ((retry: Retry) => void) | undefined;
}

/** An attempt that failed and is repeated after a wait. */
export interface Retry {
  /** Why it failed; `rate_limited` if the service asked for the wait. */
  error: StorageRoutingError;
  /** The number of the failed attempt, from 1. */
  attempt: number;
  waitMs: number;
}

/** A page of a list. */
export interface PageOptions extends CallOptions {
  /** 1 to 50; default 10. */
  limit?: number | undefined;
  /** 0 to 10,000; default 0. */
  offset?: number | undefined;
}

export interface CallInput extends CallOptions {
  /** The path parameter. */
  id?: string | undefined;
  /** Undefined parameters are omitted. */
  query?: Readonly<Record<string, string | number | undefined>> | undefined;
  /** Default of a POST: an empty object. */
  body?: object | undefined;
}

/** Sends calls to the service. */
export interface Transport {
  settings: Settings;
  /**
   * Sends a call, and repeats it if `mayRepeat` allows.
   *
   * The reply is not validated field by field.
   *
   * @throws StorageRoutingError with a code of the service or of the client.
   */
  call<R extends Route>(route: R, input: CallInput): Promise<Reply<R>>;
}

export function createTransport(settings: Settings): Transport {
  return {
    settings,
    async call<R extends Route>(route: R, input: CallInput): Promise<Reply<R>> {
      const request = {
        route,
        ...input,
        body: input.body ?? (route.method === 'POST' ? {} : undefined),
        requestId: requestIdFrom(input),
        url: buildUrl(settings, route, input),
      };
      for (let attempt = 0; ; attempt += 1) {
        try {
          return (await sendOnce(settings, request)) as Reply<R>;
        } catch (error) {
          const retry = retryAfter(settings, route, attempt, error);
          if (retry === undefined) throw error;
          notify('onRetry', input.onRetry, retry, request.requestId);
          await settings.sleep(retry.waitMs, input.signal);
          throwIfAborted(input.signal, request.requestId);
        }
      }
    },
  };
}

/** The options of each call of an operation that makes several, under one request id. */
export function withRequestId(options: CallOptions): CallOptions & { requestId: string } {
  const { signal, onRetry } = options;
  return { signal, onRetry, requestId: requestIdFrom(options) };
}

/** The request id of a call: the caller's, or a new one. */
function requestIdFrom(options: CallOptions): string {
  const { requestId = crypto.randomUUID() } = options;
  if (/^[A-Za-z0-9._-]{1,128}$/.test(requestId)) return requestId;
  throw invalidArgument('requestId must be 1 to 128 of A-Z a-z 0-9 . _ -');
}

function retryAfter(
  settings: Settings,
  route: Route,
  attempt: number,
  error: unknown,
): Retry | undefined {
  if (!(error instanceof StorageRoutingError) || attempt >= settings.maxRetries) return undefined;
  if (!mayRepeat(error, route.repeat ?? 'safe')) return undefined;
  const waitMs = waitBeforeRepeat(error, attempt, settings.random);
  return waitMs === undefined ? undefined : { error, attempt: attempt + 1, waitMs };
}

function buildUrl(settings: Settings, route: Route, input: CallInput): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    // "." and ".." would be resolved by the URL, and address another route.
    if (typeof input.id !== 'string' || /^\.{0,2}$/.test(input.id)) {
      throw invalidArgument(`${name} must be a text that names something`);
    }
    return encodeURIComponent(input.id);
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {}))
    if (value !== undefined) query.append(name, String(value));
  return settings.baseUrl + path + (query.size > 0 ? `?${query.toString()}` : '');
}

interface Request extends CallInput {
  route: Route;
  requestId: string;
  url: string;
}

function sendOnce(settings: Settings, request: Request): Promise<unknown> {
  const { route, requestId, signal } = request;
  const limits = { signal, timeoutMs: settings.timeoutMs, what: routeName(route), requestId };
  return withDeadline(limits, async (deadline) => {
    const headers = await buildHeaders(settings, request);
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    let response: Response;
    let text: string;
    try {
      response = await settings.fetch(request.url, {
        method: route.method,
        headers,
        body,
        // Following a redirect would turn POST into GET, or send the call to another host.
        redirect: 'manual',
        signal: deadline.signal,
      });
      if (isStream(route, response)) return openBody(response, requestId, deadline.stop);
      text = await response.text();
    } catch (error) {
      throw connectionError(routeName(route), requestId, error);
    }
    return parseReply(settings, request, response, text);
  });
}

/** A body of lines has no bounded length, so it is streamed. */
function isStream({ media }: Route, response: Response): boolean {
  return media === 'application/x-ndjson' && response.ok && hasMedia(media, response);
}

function openBody({ body, headers }: Response, requestId: string, close: () => void): OpenBody {
  return { body, requestId: headers.get('x-request-id') ?? requestId, close };
}

async function buildHeaders(settings: Settings, request: Request): Promise<Record<string, string>> {
  const headers: Record<string, string> = {
    Accept: request.route.media ?? 'application/json',
    'User-Agent': `storage-routing-client/${VERSION}`,
    'X-Request-ID': request.requestId,
  };
  if (request.body !== undefined) headers['Content-Type'] = 'application/json';
  const { auth } = request.route;
  if (auth !== 'none') headers['Authorization'] = `Bearer ${await tokenFor(settings, auth)}`;
  return headers;
}

async function tokenFor(settings: Settings, auth: 'apiKey' | 'dashboard'): Promise<string> {
  const name = auth === 'apiKey' ? 'apiKey' : 'dashboardToken';
  const give = settings[name];
  if (give === undefined) {
    throw new StorageRoutingError({ code: 'no_credentials', message: `this call needs ${name}` });
  }
  let token: string;
  try {
    token = await give();
  } catch (error) {
    const message = `the function given as ${name} failed`;
    throw new StorageRoutingError({ code: 'no_credentials', message, cause: safeCause(error) });
  }
  checkToken(name, token);
  return token;
}

/** The error of an attempt that ended without a complete answer. */
export function connectionError(
  what: string,
  requestId: string | undefined,
  error: unknown,
): StorageRoutingError {
  const hasFailed = neverConnected(error);
  return new StorageRoutingError({
    code: hasFailed ? 'connection_failed' : 'connection_lost',
    message: `${what}: ${hasFailed ? 'no connection' : 'the connection broke'}`,
    requestId,
    cause: safeCause(error),
  });
}

function parseReply(
  settings: Settings,
  request: Request,
  response: Response,
  text: string,
): unknown {
  if (response.ok && hasMedia(request.route.media, response)) return text;
  const body = parsed(text);
  if (
    response.ok &&
    request.route.media === undefined &&
    (response.status === 204 || body !== undefined)
  )
    return body;
  throw refusalFrom(settings, request, response, body);
}

function hasMedia(media: Route['media'], { headers }: Response): boolean {
  return media !== undefined && (headers.get('content-type') ?? '').startsWith(media);
}

/** Parses a JSON object; undefined if the text is none. */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function refusalFrom(
  settings: Settings,
  request: Request,
  response: Response,
  body: Record<string, unknown> | undefined,
): StorageRoutingError {
  const { status, headers } = response;
  const isError = typeof body?.['code'] === 'string' && typeof body['error'] === 'string';
  const said = isError ? withoutSecrets(String(body['error'])) : 'not an answer of the service';
  return new StorageRoutingError({
    code: isError && !response.ok ? String(body['code']) : 'invalid_response',
    message: `${routeName(request.route)} ${status}: ${said}`,
    status,
    requestId: headers.get('x-request-id') ?? request.requestId,
    details: detailsFrom(body?.['details']),
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), settings.now()),
  });
}

function detailsFrom(details: unknown): ErrorDetail[] | undefined {
  if (!Array.isArray(details)) return undefined;
  return details.filter(
    (detail): detail is ErrorDetail =>
      typeof detail?.path === 'string' && typeof detail.message === 'string',
  );
}

/** The name of a route in messages. */
export function routeName(route: Route): string {
  return `${route.method} ${route.path}`;
}
