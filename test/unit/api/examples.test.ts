import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { exampleOf } from '../../../api/http/examples.ts';
import { describeApi } from '../../contract/described-api.ts';

/** Described by external documents, or self-describing. */
const WITHOUT = new Set(['GET /openapi.json', 'GET /docs']);

describe('the examples of the OpenAPI description', () => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
  const requireFit = (schema: object, example: unknown, what: string) => {
    const fits = ajv.compile(schema);
    assert.ok(fits(example), `${what}: ${ajv.errorsText(fits.errors)}`);
  };

  for (const route of describeApi()) {
    const name = `${route.method} ${route.path}`;
    if (WITHOUT.has(name)) continue;

    it(`show ${name} completely and match its schemas`, () => {
      const example = exampleOf(route);
      for (const schema of [route.params, route.query]) {
        if (!schema) continue;
        const names = Object.keys(propertiesOf(schema));
        const values = Object.entries(example.parameters).filter(([each]) => names.includes(each));
        requireFit(schema, Object.fromEntries(values), 'parameters');
      }
      assert.equal(example.body !== undefined, route.body !== undefined);
      if (route.body) requireFit(route.body, example.body, 'body');
      for (const [status, schema] of Object.entries(route.replies)) {
        if (status === '204') continue;
        const reply = example.replies[status];
        assert.ok(reply !== undefined, `no reply of status ${status}`);
        const lines = route.media === 'application/x-ndjson' ? linesOf(reply) : [reply];
        for (const line of lines) requireFit(schema, line, status);
      }
    });
  }
});

function propertiesOf(schema: unknown): object {
  return (schema as { properties?: object } | undefined)?.properties ?? {};
}

function linesOf(text: unknown): unknown[] {
  assert.ok(typeof text === 'string');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
}
