import type { TSchema } from 'typebox';
import { statusOf, type ErrorCode } from '../domain/errors.ts';
import { defineRoute, type Route, type RouteAuth } from './route.ts';
import { Document, ErrorView } from './schemas.ts';

const SECURITY: Readonly<Record<RouteAuth, object[]>> = {
  none: [],
  apiKey: [{ apiKey: [] }],
  dashboard: [{ dashboardToken: [] }],
};

/** The OpenAPI 3.1 description of a table of routes, made of the schemas that check the requests. */
export function describeRoutes(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method.toLowerCase()] = describeRoute(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Storage Routing Service',
      version: '0.1',
      description:
        'Routes uploads to the stores that a customer owns. File bytes never pass through it.',
    },
    paths,
    components: {
      schemas: { Error: ErrorView },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'svc_live_<uuid> or svc_test_<uuid>',
        },
        dashboardToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  };
}

/** The route that serves the description of all of them, itself included. */
export function createOpenApiRoute(routes: readonly Route[]): Route {
  const route: Route = defineRoute({
    method: 'GET',
    path: '/openapi.json',
    auth: 'none',
    summary: 'This description',
    replies: { 200: Document },
    refusals: [],
    handle: async () => ({ status: 200, body: describeRoutes([...routes, route]) }),
  });
  return route;
}

function describeRoute(route: Route): object {
  return {
    summary: route.summary,
    security: SECURITY[route.auth],
    ...(route.params ? { parameters: describeParams(route.params) } : {}),
    ...(route.body ? { requestBody: describeBody(route.body) } : {}),
    responses: { ...describeReplies(route), ...describeRefusals(route) },
  };
}

function describeParams(schema: TSchema): object[] {
  const { properties } = schema as unknown as { properties: Record<string, TSchema> };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'path',
    required: true,
    schema: property,
  }));
}

function describeBody(schema: TSchema): object {
  const { required = [] } = schema as unknown as { required?: string[] };
  return { required: required.length > 0, content: { 'application/json': { schema } } };
}

function describeReplies({ replies, media }: Route): Record<string, object> {
  return Object.fromEntries(
    Object.entries(replies).map(([status, schema]) => [
      status,
      Number(status) === 204
        ? { description: 'Done' }
        : { description: 'OK', content: { [media ?? 'application/json']: { schema } } },
    ]),
  );
}

/** Codes that share a status share an entry, whose description names them. */
function describeRefusals(route: Route): Record<string, object> {
  const codes = new Set<ErrorCode>([...route.refusals, ...commonRefusals(route)]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes)
    byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      status,
      {
        description: names.map((name) => `\`${name}\``).join(', '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

function commonRefusals({ auth, body }: Route): ErrorCode[] {
  return [
    'invalid_request',
    'internal_error',
    ...(auth === 'none' ? [] : (['unauthorized', 'rate_limited', 'unavailable'] as const)),
    ...(body ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
  ];
}
