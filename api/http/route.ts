import type { Readable } from 'node:stream';
import type { Static, TObject, TSchema } from 'typebox';
import type { Account } from '../../domain/accounts/account.ts';
import type { Actor } from '../../domain/accounts/activity.ts';
import type { ErrorCode } from '../../domain/common/errors.ts';

/** How a route authenticates its caller. */
export type RouteAuth = 'none' | 'apiKey' | 'dashboard';

/** The value that a schema describes, as a presenter returns it. */
export type View<Schema extends TSchema> = Frozen<Static<Schema>>;

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Frozen<T[Name]> }
    : T;

/** What has the fields of a view, and maybe others; times may be dates. */
type Viewed<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] | (string extends Fields[Name] ? Date : never);
};

/** The fields that the schema has, with dates as texts. */
export function toView<Schema extends TObject>(
  { properties }: Schema,
  value: Viewed<View<Schema>>,
): View<Schema> {
  const given = value as Readonly<Record<string, unknown>>;
  const view: Record<string, unknown> = {};
  for (const name in properties) {
    const field = given[name];
    if (field !== undefined) view[name] = field instanceof Date ? field.toISOString() : field;
  }
  return view as View<Schema>;
}

export interface Reply {
  readonly status: number;
  /**
   * An object becomes JSON; a text, bytes or a stream are the document that the route's `media`
   * names. Undefined: no body.
   */
  readonly body?: object | string | Buffer | Readable | undefined;
  /** Set for a static body: a caller that has this version gets 304. */
  readonly etag?: string;
}

type ReplySchemas = Readonly<Record<number, TSchema>>;

/** A reply with a status of the route, and the body that the schema of this status describes. */
type TypedReply<Schemas extends ReplySchemas> = {
  [Status in keyof Schemas & number]: null extends Static<Schemas[Status]>
    ? { readonly status: Status; readonly body?: undefined }
    : {
        readonly status: Status;
        readonly body: View<Schemas[Status]> | Buffer | Readable;
        readonly etag?: string;
      };
}[keyof Schemas & number];

/** An answer's stream reads its next part when the client has taken the previous one. */
export const ONE_AT_A_TIME = { highWaterMark: 1 } as const;

/** Media types of documents. */
export type Media =
  'text/markdown' | 'text/html' | 'text/csv' | 'application/json' | 'application/x-ndjson';

/** The input of a handler, checked by the route's schemas, without anything of HTTP. */
export interface RouteRequest<Body, Params, Query, Auth extends RouteAuth> {
  /** The type of the document to answer with; undefined for JSON. */
  readonly media: Media | undefined;
  readonly body: Body;
  readonly params: Params;
  /** With defaults for missing parameters. */
  readonly query: Query;
  /** The caller's account; only if the route authenticates. */
  readonly account: Auth extends 'none' ? undefined : Account;
  /** Who makes the call. */
  readonly actor: Auth extends 'none' ? undefined : Actor;
  /** Whether the role of the person allows calls that change something. */
  readonly mayChange: boolean;
  /** The address of the service as the caller named it, without a slash at the end. */
  readonly baseUrl: string;
}

/**
 * An endpoint as a value. The table of routes produces the mounting, the validation, the OpenAPI
 * description and the test suites that run for every route.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As OpenAPI writes it: `/v1/file/{fileId}`. */
  readonly path: string;
  readonly auth: RouteAuth;
  /** One line. */
  readonly summary: string;
  /** What a caller must know in addition to the schemas, in Markdown. */
  readonly description: string;
  readonly params?: TSchema;
  /** Undefined: the route takes no query parameters. Integers are written in decimal. */
  readonly query?: TSchema;
  /** Undefined: the route takes no body. */
  readonly body?: TSchema;
  /** Set if the sender signs the body; the signature is verified before the body is parsed. */
  readonly signed?: {
    /** The header that carries the signature. */
    readonly header: string;
    readonly maxBytes: number;
    /** @throws AppError `invalid_request`. The signature is empty if the header is missing. */
    verify(text: string, signature: string): void;
  };
  /** The media type of the 200 answer if it is not JSON. */
  readonly media?: Media;
  /** Other types that the caller may ask for with `Accept`. */
  readonly otherMedia?: readonly Media[];
  /** The schemas of its answers, by status. */
  readonly replies: ReplySchemas;
  /** Its error codes, in addition to those common to its kind of route. */
  readonly refusals: readonly ErrorCode[];
  /**
   * Whether a call may take longer than others: it calls an external server (a store, AWS STS,
   * Stripe), or reads a result of any size before it answers. Undefined: never.
   */
  mayTakeLong?(request: RouteRequest<unknown, unknown, unknown, RouteAuth>): boolean;
  handle(request: RouteRequest<unknown, unknown, unknown, RouteAuth>): Promise<Reply>;
}

interface TypedRoute<
  Body extends TSchema,
  Params extends TSchema,
  Query extends TSchema,
  Auth extends RouteAuth,
  Replies extends ReplySchemas,
> extends Omit<Route, 'handle' | 'mayTakeLong' | 'auth' | 'body' | 'params' | 'query' | 'replies'> {
  readonly auth: Auth;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly replies: Replies;
  mayTakeLong?(request: RouteRequest<Static<Body>, Static<Params>, Static<Query>, Auth>): boolean;
  handle(
    request: RouteRequest<Static<Body>, Static<Params>, Static<Query>, Auth>,
  ): Promise<TypedReply<NoInfer<Replies>>>;
}

/** Gives a handler the types of its schemas: of what it takes, and of what it answers. */
export function defineRoute<
  Body extends TSchema,
  Params extends TSchema,
  Query extends TSchema,
  Auth extends RouteAuth,
  Replies extends ReplySchemas,
>(route: TypedRoute<Body, Params, Query, Auth, Replies>): Route {
  return route;
}
