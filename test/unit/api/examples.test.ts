import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { EXAMPLES } from '../../../api/routes.ts';
import { describeApi } from '../../contract/described-api.ts';

/** Described by external documents, or self-describing. */
const WITHOUT = new Set(['GET /openapi.json', 'GET /docs']);

describe('the examples of the OpenAPI description', () => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
  const requireFit = (schema: object, example: unknown, what: string) => {
    const fits = ajv.compile(schema);
    assert.ok(fits(example), `${what}: ${ajv.errorsText(fits.errors)}`);
  };

  it('belong to existing routes', () => {
    const names = new Set(describeApi().map(({ method, path }) => `${method} ${path}`));
    for (const name of Object.keys(EXAMPLES)) assert.ok(names.has(name), name);
  });

  for (const route of describeApi()) {
    const name = `${route.method} ${route.path}`;
    if (WITHOUT.has(name)) continue;

    it(`show ${name} completely and match its schemas`, () => {
      const example = EXAMPLES[name] ?? assert.fail('there is none');
      for (const parameter of Object.keys(propertiesOf(route.params)))
        assert.ok(parameter in (example.parameters ?? {}), `no value of ${parameter}`);
      if (route.params) requireFit(route.params, example.parameters, 'parameters');
      assert.equal(example.body !== undefined, route.body !== undefined);
      if (route.body) requireFit(route.body, example.body, 'body');
      for (const [status, schema] of Object.entries(route.replies)) {
        if (status === '204') continue;
        const reply = example.replies[Number(status)];
        assert.ok(reply !== undefined, `no reply of status ${status}`);
        // Each line matches the schema, except the last one, which is the summary.
        const lines =
          route.media === 'application/x-ndjson' ? linesOf(reply).slice(0, -1) : [reply];
        for (const line of lines) requireFit(schema, line, status);
      }
    });
  }
});

function propertiesOf(schema: unknown): object {
  return (schema as { properties?: object } | undefined)?.properties ?? {};
}

function linesOf(text: object | string): unknown[] {
  assert.ok(typeof text === 'string');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
}
