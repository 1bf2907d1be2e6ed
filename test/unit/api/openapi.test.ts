import assert from 'node:assert/strict';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describeRoutes } from '../../../api/http/openapi.ts';
import type { Route } from '../../../api/http/route.ts';
import { httpStatus, type ErrorCode } from '../../../domain/common/errors.ts';
import { startApi } from '../../contract/api-harness.ts';
import { describeApi } from '../../contract/described-api.ts';

interface Content {
  content?: Record<string, { schema: object; example?: unknown }>;
}

type Texts = Record<'operationId' | 'summary' | 'description', string>;
interface Operation extends Texts {
  requestBody?: Content;
  responses: Record<string, Content & { description: string; headers?: object }>;
}

interface Description {
  info: { description: string };
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, object>;
    securitySchemes: Record<string, { description: string }>;
  };
}

const routes = describeApi();
/** The description as a client reads it, through JSON. */
const description = JSON.parse(JSON.stringify(describeRoutes(routes))) as Description;
const operationOf = ({ method, path }: Pick<Route, 'method' | 'path'>): Operation =>
  description.paths[path]?.[method.toLowerCase()] ?? assert.fail(`${method} ${path} is missing`);

/** Every value in a document, with its path. */
function* walk(value: unknown, path = '#'): Generator<[path: string, value: unknown]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) yield* walk(inner, `${path}/${name}`);
}

/**
 * Who may call what, by which parameters, is held against the served document by
 * test/acceptance/openapi.test.ts.
 */
const statusOf = (code: ErrorCode) => String(httpStatus(code));

describe('the OpenAPI description', () => {
  it('passes a validator', async () => {
    const { valid, errors } = await new Validator().validate({ ...structuredClone(description) });
    assert.deepEqual([valid, errors], [true, undefined]);
  });

  it('gives each operation a unique id', () => {
    const names = Object.values(description.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    assert.equal(new Set(names).size, routes.length);
    for (const name of names) assert.match(name, /^(?:get|post|put|delete)(?:[A-Z][A-Za-z0-9]*)+$/);
  });

  it('is what the service serves', async () => {
    const harness = await startApi();
    const served = await (await fetch(`${harness.origin}/openapi.json`)).json();
    await harness.close();
    assert.deepEqual(served, description);
  });

  it('names the header that says how long to wait, with the answers that have it', () => {
    for (const route of routes) {
      const waits = Object.entries(operationOf(route).responses).flatMap(([status, { headers }]) =>
        Object.hasOwn(headers ?? {}, 'Retry-After') ? [status] : [],
      );
      const open = route.refusals.includes('unavailable') ? ['503'] : [];
      assert.deepEqual(waits, route.auth === 'none' ? open : ['429', '503'], route.path);
    }
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
    it(`says what ${route.method} ${route.path} is for, takes, answers and refuses`, () => {
      const { summary, description: purpose, requestBody, responses } = operationOf(route);
      assert.ok(summary.length > 5);
      assert.match(purpose, /^[A-Z`].{20,}\.$/);
      assert.notEqual(purpose, `${summary}.`);
      const schema = requestBody?.content?.['application/json']?.schema;
      assert.deepEqual(schema, route.body && JSON.parse(JSON.stringify(route.body)));
      const expected = [
        ...Object.keys(route.replies),
        ...route.refusals.map((code) => statusOf(code)),
        '400',
        '500',
        ...(route.auth === 'none' ? [] : ['401', '429', '503']),
        ...(route.body ? ['413', '415'] : []),
        ...(route.auth === 'dashboard' && route.method !== 'GET' ? ['403'] : []),
      ];
      assert.deepEqual(Object.keys(responses).sort(), [...new Set(expected)].sort());
      for (const code of route.refusals) {
        const { description: words, content } = responses[statusOf(code)] ?? {};
        assert.ok(words?.includes(`\`${code}\``), `${code} is named`);
        const $ref = '#/components/schemas/Error';
        assert.deepEqual(content?.['application/json']?.schema, { $ref });
      }
      for (const [status, { content, description: words }] of Object.entries(responses)) {
        assert.ok(words);
        assert.equal(content === undefined, status === '204');
      }
    });
  }

  it('has no dangling reference', () => {
    const byPath = new Map(walk(description));
    const references = [...byPath].filter(([path]) => path.endsWith('/$ref'));
    assert.ok(references.length > 0);
    for (const [path, value] of references) assert.ok(byPath.has(value as string), path);
  });
});
