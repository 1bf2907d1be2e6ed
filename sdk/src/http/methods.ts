import { type Page, type PagedList, pagedList } from './paged.ts';
import { readLines } from './lines.ts';
import {
  routeName,
  type CallInput,
  type CallOptions,
  type PageOptions,
  type Reply,
  type Route,
  type Transport,
} from './transport.ts';

type Terms = Pick<Route, 'repeat' | 'media'>;

/** A route that takes the token of a dashboard login. */
export const dashboard = <const Method extends Route['method'], const Path extends string>(
  method: Method,
  path: Path,
  terms?: Terms,
) => ({ method, path, auth: 'dashboard' as const, ...terms });

/** Each arrival creates something new. */
export const ONCE: Terms = { repeat: 'unless_started' };
export const LINES: Terms = { media: 'application/x-ndjson' };

/** Makes the methods of a resource, a function for each shape of a call. */
export function createMethods({ call, settings }: Transport) {
  return {
    plain:
      <R extends Route>(route: R) =>
      (options: CallOptions = {}) =>
        call(route, options),
    byId:
      <R extends Route>(route: R) =>
      (id: string, options: CallOptions = {}) =>
        call(route, { ...options, id }),
    /** For a route that answers nothing. */
    remove:
      (route: Route) =>
      async (id: string, options: CallOptions = {}): Promise<void> => {
        await call(route, { ...options, id });
      },
    withBody:
      <R extends Route>(route: R) =>
      (body: object, options: CallOptions = {}) =>
        call(route, { ...options, body }),
    byIdWithBody:
      <R extends Route>(route: R) =>
      (id: string, body: object, options: CallOptions = {}) =>
        call(route, { ...options, id, body }),
    /** For a route that answers lines. The call begins and ends with the loop over them. */
    async *lines<Line>(route: Route, input: CallInput): AsyncIterable<Line> {
      const opened = await call(route, input);
      const { stallTimeoutMs: timeoutMs } = settings;
      yield* readLines<Line>(opened, { what: routeName(route), timeoutMs, signal: input.signal });
    },
    /** A list. What is no option of a call is sent as a parameter of the query. */
    paged:
      <R extends Route, One extends Page<unknown> & Reply<R>>(
        route: R,
        itemId: (item: One['items'][number]) => string,
      ) =>
      ({ signal, requestId, onRetry, ...query }: PageOptions = {}): PagedList<One> => {
        const options = { signal, requestId, onRetry };
        return pagedList(
          (place) => call(route, { ...options, query: { ...query, ...place } }) as Promise<One>,
          query,
          itemId,
        );
      },
  };
}
