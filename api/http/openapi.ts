import type { TSchema } from 'typebox';
import { AppError, httpStatus, type ErrorCode } from '../../domain/common/errors.ts';
import { exampleOf, type Example } from './examples.ts';
import { presentError, RETRY_AFTER_SECONDS } from './answers.ts';
import type { Route, RouteAuth } from './route.ts';
import { ErrorView } from './schemas.ts';

const SECURITY: Readonly<Record<RouteAuth, object[]>> = {
  none: [],
  apiKey: [{ apiKey: [] }],
  dashboard: [{ dashboardToken: [] }],
};

const TAGS: Readonly<Record<string, string>> = {
  upload: 'Uploads: where to put a file, and the proof that it arrived',
  file: 'Files that were uploaded',
  me: 'Who an API key belongs to',
  account: 'The account, and what its people have changed',
  providers: 'The stores of the account, and its API key',
  keys: 'The API key',
  scanner: 'Audits of cloud storage, their recommendations, and moves that were approved',
  analytics: 'What was routed, and what that saves',
  billing: 'The plan',
  service: 'The service itself',
};

// Markdown, in which a placeholder in angle brackets outside code is an HTML element.
const API_KEY =
  'An API key, `svc_live_…` or `svc_test_…` with a UUID, for servers: uploads and files. The dashboard issues it, or `POST /v1/providers/api-key/regenerate` with a dashboard token. An account has one key; `POST /v1/keys/rotate` replaces it, and the old one fails at once.';
const DASHBOARD_TOKEN =
  'An access token of the identity provider that the operator of the service names, a JWT, for people and their tools: stores, keys, audits, migrations, analytics and billing. The first valid token of an account creates the account.';
const INTRODUCTION = `Routes uploads to the stores that a customer owns, audits what cloud storage costs, and migrates what was approved. The bytes of an upload never pass through it; a migration that was approved reads and writes objects.

**Authentication.** Every call but those under _service_, and the webhook of the payment service, carries \`Authorization: Bearer …\` with one of two credentials; the lock of each call says which one it takes.

- **API key:** ${API_KEY}
- **Dashboard token:** ${DASHBOARD_TOKEN}

**Errors** have the body \`{ "error": "…", "code": "…" }\`. Each call lists its codes. Every answer carries \`X-Request-ID\`; name it in a question to the operator.`;

/**
 * The OpenAPI 3.1 description of a table of routes, from the schemas that validate the requests. It
 * lists each route's errors with the service's messages.
 */
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
      description: INTRODUCTION,
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { Error: ErrorView },
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: API_KEY },
        dashboardToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: DASHBOARD_TOKEN,
        },
      },
    },
  };
}

function describeRoute(route: Route): object {
  const example = exampleOf(route);
  return {
    operationId: toOperationId(route),
    tags: [toTag(route)],
    summary: route.summary,
    description: route.description,
    security: SECURITY[route.auth],
    ...describeParameters(route, example),
    ...(route.body ? { requestBody: describeBody(route.body, example) } : {}),
    responses: { ...describeReplies(route, example), ...describeRefusals(route) },
  };
}

/** The operation id for generated clients: `GET /v1/file/{fileId}` is `getFileByFileId`. */
function toOperationId({ method, path }: Route): string {
  const words = path
    .replace(/^\/v1/, '')
    .replaceAll(/\{(\w)/g, (_match, first: string) => `by-${first}`)
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return [
    method.toLowerCase(),
    ...words.map((word) => word[0]?.toUpperCase() + word.slice(1)),
  ].join('');
}

function toTag({ path }: Route): string {
  const [, area = ''] = /^\/v1\/(\w+)/.exec(path) ?? [];
  return area in TAGS ? area : 'service';
}

function describeParameters(
  { params, query }: Route,
  { parameters: values }: Example,
): { parameters?: object[] } {
  const parameters = [
    ...listProperties(params).map(([name, schema]) => ({
      name,
      in: 'path',
      required: true,
      schema,
      example: values[name],
    })),
    ...listProperties(query).map(([name, schema]) => ({
      name,
      in: 'query',
      required: listRequired(query).includes(name) && !('default' in schema),
      schema,
      example: values[name],
    })),
  ];
  return parameters.length > 0 ? { parameters } : {};
}

function listProperties(schema: TSchema | undefined): [name: string, schema: TSchema][] {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, TSchema> };
  return Object.entries(properties);
}

function listRequired(schema: TSchema | undefined): readonly string[] {
  const described: { required?: readonly string[] } | undefined = schema;
  return described?.required ?? [];
}

function describeBody(schema: TSchema, { body }: Example): object {
  const content = { 'application/json': { schema, ...(body ? { example: body } : {}) } };
  const { anyOf = [schema] } = schema as { anyOf?: readonly TSchema[] };
  return { required: anyOf.every((each) => listRequired(each).length > 0), content };
}

function describeReplies(route: Route, example: Example): Record<string, object> {
  return Object.fromEntries(
    Object.entries(route.replies).map(([status, schema]) => {
      const reply = example.replies[Number(status)];
      const content = { schema, ...(reply === undefined ? {} : { example: reply }) };
      return [
        status,
        Number(status) === 204
          ? { description: 'Done' }
          : { description: 'OK', content: describeContent(route, content) },
      ];
    }),
  );
}

/** The example is of the first type. */
function describeContent(
  { media = 'application/json', otherMedia = [] }: Route,
  content: Described,
) {
  const { schema } = content;
  return {
    ...Object.fromEntries(otherMedia.map((other) => [other, { schema }])),
    [media]: content,
  };
}

interface Described {
  readonly schema: TSchema;
  readonly example?: unknown;
}

/** Codes of one status share an entry, with an example of each. */
function describeRefusals(route: Route): Record<string, object> {
  const codes = new Set<ErrorCode>([...route.refusals, ...commonRefusals(route)]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const status = httpStatus(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => {
      const examples = Object.fromEntries(
        names.map((name) => [name, { value: presentError(new AppError(name)) }]),
      );
      const schema = { $ref: '#/components/schemas/Error' };
      return [
        status,
        {
          description: names.map((name) => `\`${name}\``).join(', '),
          ...describeWait(names),
          content: { 'application/json': { schema, examples } },
        },
      ];
    }),
  );
}

function describeWait(names: readonly ErrorCode[]): { headers?: object } {
  const waiting = names.filter((name) => RETRY_AFTER_SECONDS[name] !== undefined);
  if (waiting.length === 0) return {};
  const description = `With \`${waiting.join('`, `')}\`: how many seconds to wait.`;
  return { headers: { 'Retry-After': { description, schema: { type: 'integer' } } } };
}

function commonRefusals({ method, auth, body }: Route): ErrorCode[] {
  return [
    'invalid_request',
    'internal_error',
    ...(auth === 'none' ? [] : (['unauthorized', 'rate_limited', 'unavailable'] as const)),
    ...(auth === 'dashboard' && method !== 'GET' ? (['forbidden'] as const) : []),
    ...(body ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
  ];
}
