import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** An answer of the service, as any of the tests' clients has received it. */
export interface ReceivedAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string | undefined;
}

interface Media {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, { readonly value: { readonly code: string } }>>;
}
type Described = { readonly content?: Readonly<Record<string, Media>> };
type Operation = { readonly responses: Readonly<Record<string, Described>> };
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: { readonly Error: object } };
}

let description: ReturnType<typeof readDescription> | undefined;

/**
 * Asserts that the service's own OpenAPI document lists this answer: its status, its media type, each of
 * its body's fields, and the code of an error. Calls of what is no operation are left out.
 *
 * @param url the address that was called
 */
export async function assertDescribed(
  method: string,
  url: URL,
  { status, contentType, text }: ReceivedAnswer,
): Promise<void> {
  description ??= readDescription(url.origin).catch((error: unknown) => {
    // An API that is stopped on purpose does not describe itself.
    description = undefined;
    throw error;
  });
  const { find, validatorOf } = await description;
  const operation = find(method, url.pathname);
  if (!operation) return;
  const where = `${method} ${url.pathname} answered ${status}: ${text?.slice(0, 2_000)}`;
  const described = operation.responses[status];
  assert.ok(described, `not described: ${where}`);
  if (!described.content) {
    assert.equal(text ?? '', '', where);
    return;
  }
  const [type = ''] = contentType.split(';');
  const media = described.content[type];
  assert.ok(media, `${type} is not described: ${where}`);
  if (type !== 'application/json' || text === undefined) return;
  const body = JSON.parse(text) as { readonly code?: string };
  const validate = validatorOf(media.schema);
  assert.ok(validate(body), `${JSON.stringify(validate.errors)}: ${where}`);
  if (status < 400) return;
  const codes = Object.values(media.examples ?? {}).map(({ value }) => value.code);
  assert.ok(codes.includes(body.code ?? ''), `its code is not among ${codes.join()}: ${where}`);
}

async function readDescription(origin: string) {
  const answer = await fetch(new URL('/openapi.json', origin));
  const { paths, components } = (await answer.json()) as Document;
  const templates = Object.entries(paths).map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    operations,
  }));
  const ajv = new Ajv2020({ strict: true, strictTypes: false });
  ajv.addSchema(closed(components.schemas.Error), '#/components/schemas/Error');
  const compiled = new WeakMap<object, ValidateFunction>();
  return {
    find(method: string, path: string): Operation | undefined {
      // A concrete path comes before a template.
      const operations =
        paths[path] ?? templates.find(({ pattern }) => pattern.test(path))?.operations;
      return operations?.[method.toLowerCase()];
    },
    validatorOf(schema: object): ValidateFunction {
      const validate = compiled.get(schema) ?? ajv.compile(closed(schema));
      compiled.set(schema, validate);
      return validate;
    },
  };
}

/** The schema without room for further fields: a client has to allow them, and a test finds them. */
function closed<T>(schema: T): T {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed) as T;
  const parts = Object.entries(schema).map(([name, part]) => [name, closed(part as unknown)]);
  const { type, properties } = schema as { readonly type?: unknown; readonly properties?: object };
  // An object of which none is named has a form that another standard describes.
  const isClosed = type === 'object' && Object.keys(properties ?? {}).length > 0;
  const more = isClosed ? { additionalProperties: false } : {};
  return { ...Object.fromEntries(parts), ...more } as T;
}

/** A `fetch` that asserts it of every JSON answer, for tests that use the client library. */
export const describedFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const response = await fetch(input, init);
  const contentType = response.headers.get('content-type') ?? '';
  const isRead = contentType.startsWith('application/json') || response.status === 204;
  const text = isRead ? await response.clone().text() : undefined;
  const { status } = response;
  await assertDescribed(request.method, new URL(request.url), { status, contentType, text });
  return response;
};
