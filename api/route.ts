import type { Readable } from 'node:stream';
import type { Static, TSchema } from 'typebox';
import type { Account } from '../domain/account.ts';
import type { ErrorCode } from '../domain/errors.ts';

/** Who may call a route: anybody, the holder of an API key, or a person at the dashboard. */
export type RouteAuth = 'none' | 'apiKey' | 'dashboard';

export interface Reply {
  readonly status: number;
  /**
   * An object becomes JSON; a text or a stream is the document that the route's `media` names.
   * Undefined: no body.
   */
  readonly body?: object | string | Readable;
}

/** A body as the very bytes that came, for a signature holds over nothing else. */
export interface SignedBody {
  readonly bytes: Buffer;
  /** Empty where there is none. */
  readonly signature: string;
}

/** What a handler gets: checked by the route's schemas, and nothing of HTTP. */
export interface RouteRequest<Body, Params, Query, Auth extends RouteAuth> {
  readonly requestId: string;
  readonly body: Body;
  readonly params: Params;
  /** With the defaults of what was left out. */
  readonly query: Query;
  /** Whose call it is; only where the route asks for authentication. */
  readonly account: Auth extends 'none' ? undefined : Account;
  /** Who calls: the person at the dashboard, as the identity provider knows them. */
  readonly subject: Auth extends 'none' ? undefined : string;
}

/**
 * An endpoint as a value. From the table of these come the mounting, the validation, the OpenAPI
 * description and the suites that run for every route.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As OpenAPI writes it: `/v1/file/{fileId}`. */
  readonly path: string;
  readonly auth: RouteAuth;
  readonly summary: string;
  readonly params?: TSchema;
  /** Undefined: the route takes no query parameters. An integer is written in decimal, as it is. */
  readonly query?: TSchema;
  /** Undefined: the route takes no body. */
  readonly body?: TSchema;
  /**
   * Set where the sender proves itself by a signature over the body: the handler gets a `SignedBody`,
   * which is JSON and fits the schema of `body`, but is not checked yet.
   */
  readonly signed?: {
    /** The header that carries the signature. */
    readonly header: string;
    readonly maxBytes: number;
  };
  /** The media type of its 200, where that is not JSON. */
  readonly media?: 'text/markdown' | 'text/html' | 'application/x-ndjson';
  /** What it answers, by status. */
  readonly replies: Readonly<Record<number, TSchema>>;
  /** What it refuses with, besides what every route of its kind refuses with. */
  readonly refusals: readonly ErrorCode[];
  handle(request: RouteRequest<unknown, unknown, unknown, RouteAuth>): Promise<Reply>;
}

interface TypedRoute<
  Body extends TSchema,
  Params extends TSchema,
  Query extends TSchema,
  Auth extends RouteAuth,
> extends Omit<Route, 'handle' | 'auth' | 'body' | 'params' | 'query' | 'signed'> {
  readonly auth: Auth;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  handle(request: RouteRequest<Static<Body>, Static<Params>, Static<Query>, Auth>): Promise<Reply>;
}

/** Lets a handler see the types of its schemas; the table holds routes of every type. */
export function defineRoute<
  Body extends TSchema,
  Params extends TSchema,
  Query extends TSchema,
  Auth extends RouteAuth,
>(route: TypedRoute<Body, Params, Query, Auth>): Route {
  return route;
}

interface SignedRoute extends Omit<Route, 'handle' | 'auth'> {
  readonly auth: 'none';
  readonly body: TSchema;
  readonly signed: NonNullable<Route['signed']>;
  handle(request: RouteRequest<SignedBody, unknown, unknown, 'none'>): Promise<Reply>;
}

/** A route for a sender that has no key or token here, and signs what it sends. */
export function defineSignedRoute(route: SignedRoute): Route {
  return route;
}
