import assert from 'node:assert/strict';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { EXAMPLES } from '../../../api/routes.ts';
import { describeRoutes } from '../../../api/http/openapi.ts';
import type { Route } from '../../../api/http/route.ts';
import { httpStatus } from '../../../domain/common/errors.ts';
import { startApi } from '../../contract/api-harness.ts';
import { describeApi } from '../../contract/described-api.ts';

interface Content {
  content?: Record<string, { schema: object; example?: unknown }>;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  security: object[];
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: Content & { required: boolean };
  responses: Record<string, Content & { description: string }>;
}

interface Description {
  openapi: string;
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, object>;
    securitySchemes: Record<string, { description: string }>;
  };
}

const routes = describeApi();
/** The description as a client reads it, through JSON. */
const description = JSON.parse(JSON.stringify(describeRoutes(routes, EXAMPLES))) as Description;
const operationOf = ({ method, path }: Pick<Route, 'method' | 'path'>): Operation =>
  description.paths[path]?.[method.toLowerCase()] ?? assert.fail(`${method} ${path} is missing`);

/** Every value in a document, with its path. */
function* walk(value: unknown, path = '#'): Generator<[path: string, value: unknown]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) yield* walk(inner, `${path}/${name}`);
}

describe('the OpenAPI description', () => {
  it('has version 3.1 and its required fields', () => {
    assert.match(description.openapi, /^3\.1\.\d+$/);
    assert.ok(description.info.title && description.info.version);
    for (const part of ['components', 'info', 'openapi', 'paths', 'tags'])
      assert.ok(part in description, part);
  });

  it('passes a validator', async () => {
    const { valid, errors } = await new Validator().validate({ ...structuredClone(description) });
    assert.deepEqual([valid, errors], [true, undefined]);
  });

  it('gives each operation a unique id', () => {
    const names = Object.values(description.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    assert.equal(new Set(names).size, routes.length);
    for (const name of names) assert.match(name, /^(?:get|post|delete)(?:[A-Z][A-Za-z0-9]*)+$/);
  });

  it('has every route and no other', () => {
    const described = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(
      described.sort(),
      routes.map(({ method, path }) => `${method} ${path}`).sort(),
    );
  });

  it('is what the service serves', async () => {
    const harness = await startApi();
    const served = await (await fetch(`${harness.origin}/openapi.json`)).json();
    await harness.close();
    assert.deepEqual(served, description);
  });

  it('explains both ways to authenticate', () => {
    const schemes = Object.values(description.components.securitySchemes);
    assert.equal(schemes.length, 2);
    for (const scheme of schemes) {
      assert.ok(scheme.description.length > 100);
      assert.ok(description.info.description.includes(scheme.description));
    }
  });

  it('has no text that a page would take for an HTML element', () => {
    for (const [path, value] of walk(description)) {
      if (!path.endsWith('/description') || typeof value !== 'string') continue;
      assert.doesNotMatch(value.replaceAll(/`[^`]*`/g, ''), /</, path);
    }
  });

  for (const route of routes) {
    describe(`of ${route.method} ${route.path}`, () => {
      const operation = operationOf(route);

      it('says who may call it', () => {
        const scheme = { none: [], apiKey: ['apiKey'], dashboard: ['dashboardToken'] }[route.auth];
        assert.deepEqual(operation.security.flatMap(Object.keys), scheme);
        for (const name of scheme) assert.ok(description.components.securitySchemes[name]);
        assert.equal('401' in operation.responses, route.auth !== 'none');
      });

      it('says what it is for', () => {
        assert.ok(operation.summary.length > 5);
        assert.match(operation.description, /^[A-Z`].{20,}\.$/);
        assert.notEqual(operation.description, `${operation.summary}.`);
        for (const { description: words } of Object.values(operation.responses)) assert.ok(words);
      });

      it('names each parameter of its path', () => {
        const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        const parameters = (operation.parameters ?? []).filter((one) => one.in !== 'query');
        assert.deepEqual(
          parameters.map(({ name }) => name),
          inPath,
        );
        for (const parameter of parameters)
          assert.deepEqual([parameter.in, parameter.required], ['path', true]);
      });

      it('has its body, its replies and its refusals', () => {
        const schema = operation.requestBody?.content?.['application/json']?.schema;
        assert.deepEqual(schema, route.body && JSON.parse(JSON.stringify(route.body)));
        const expected = [
          ...Object.keys(route.replies),
          ...route.refusals.map((code) => String(httpStatus(code))),
          '400',
          '500',
          ...(route.auth === 'none' ? [] : ['401', '429', '503']),
          ...(route.body ? ['413', '415'] : []),
        ];
        assert.deepEqual(Object.keys(operation.responses).sort(), [...new Set(expected)].sort());
        for (const code of route.refusals) {
          const { description: words, content } = operation.responses[httpStatus(code)] ?? {};
          assert.ok(words?.includes(`\`${code}\``), `${code} is named`);
          assert.deepEqual(content?.['application/json']?.schema, {
            $ref: '#/components/schemas/Error',
          });
        }
        for (const [status, { content }] of Object.entries(operation.responses))
          assert.equal(content === undefined, status === '204');
      });
    });
  }

  it('has no dangling reference', () => {
    const byPath = new Map(walk(description));
    const references = [...byPath].flatMap(([path, value]) =>
      path.endsWith('/$ref') ? [value as string] : [],
    );
    assert.ok(references.length > 0);
    for (const reference of references) assert.ok(byPath.has(reference), reference);
  });

  it('has schemas that all compile as JSON Schema 2020-12', () => {
    const schemas = [...walk(description)].flatMap(([path, value]) =>
      path.endsWith('/schema') || /^#\/components\/schemas\/\w+$/.test(path) ? [value] : [],
    );
    assert.ok(schemas.length > routes.length);
    const ajv = new Ajv2020({ strict: true, strictTypes: false });
    ajv.addSchema(description.components.schemas['Error'] ?? {}, '#/components/schemas/Error');
    for (const schema of schemas) assert.equal(typeof ajv.compile(schema as object), 'function');
  });

  it('marks a body as required exactly where the service does', () => {
    for (const route of routes) {
      const { requestBody } = operationOf(route);
      const { required = [] } = (route.body ?? {}) as { required?: string[] };
      assert.equal(requestBody?.required, route.body && required.length > 0);
    }
  });
});
