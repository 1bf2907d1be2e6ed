import assert from 'node:assert/strict';
import { ENDPOINTS, type Endpoint } from './endpoints.ts';
import { bodyOf, call } from './wire.ts';

interface Operation {
  readonly security: readonly Record<string, unknown>[];
  readonly parameters?: readonly { name: string; in: string; required: boolean }[];
  readonly requestBody?: {
    required: boolean;
    content: Record<string, { schema: { additionalProperties?: unknown; properties?: object } }>;
  };
  readonly responses: Record<string, { description: string }>;
}

interface Document {
  readonly openapi: string;
  readonly info: { version: string; title: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { securitySchemes: Record<string, { type: string; scheme: string }> };
}

describe('The description at /openapi.json', () => {
  let document: Document;
  before(async () => {
    document = bodyOf(await call('GET', '/openapi.json'), 200) as Document;
  });

  const operation = ({ path, method }: Endpoint) => {
    const found = document.paths[path]?.[method.toLowerCase()];
    assert.ok(found, `${method} ${path} is not described`);
    return found;
  };

  // spec: versioning.labels
  it('is OpenAPI 3.1 of this version of the service', () => {
    assert.match(document.openapi, /^3\.1\.\d+$/);
    assert.equal(document.info.version, '0.1');
  });

  // spec: retries.by-file-id-only, versioning.prefix
  it('describes the endpoints that there are, and no others', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(
      described.sort(),
      ENDPOINTS.map(({ method, path }) => `${method} ${path}`).sort(),
    );
  });

  for (const endpoint of ENDPOINTS) {
    // spec: endpoint.*
    it(`says who may call ${endpoint.method} ${endpoint.path}, and with what`, () => {
      const { security, parameters = [], requestBody, responses } = operation(endpoint);
      const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      assert.deepEqual(
        parameters.filter((one) => one.in !== 'query').map(({ name }) => name),
        inPath,
      );
      assert.equal(requestBody !== undefined, endpoint.body !== 'none');
      if (requestBody) {
        assert.equal(requestBody.required, endpoint.body !== 'empty');
        const schema = requestBody.content['application/json']?.schema;
        const mayGrow = endpoint.body === 'signed';
        assert.equal(schema?.additionalProperties, mayGrow, 'unknown fields are refused');
      }
      const schemes = security.flatMap((each) => Object.keys(each));
      assert.equal(schemes.length, endpoint.auth === 'none' ? 0 : 1);
      for (const name of schemes) {
        const { type, scheme } = document.components.securitySchemes[name] ?? {};
        assert.deepEqual([type, scheme], ['http', 'bearer']);
      }
      assert.equal('401' in responses, endpoint.auth !== 'none');
      assert.ok(Object.keys(responses).some((status) => status.startsWith('2')));
    });
  }

  // spec: events.none
  it('demands no query parameter, because each list can be asked for as it is', () => {
    const demanded = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ parameters = [] }) =>
        parameters
          .filter((one) => one.in === 'query' && one.required)
          .map(({ name }) => `${path} ${name}`),
      ),
    );
    assert.deepEqual(demanded, []);
  });

  it('describes no outgoing call: neither webhooks nor callbacks', () => {
    assert.equal('webhooks' in document, false);
    for (const endpoint of ENDPOINTS) {
      assert.equal(
        'callbacks' in operation(endpoint),
        false,
        `${endpoint.method} ${endpoint.path}`,
      );
    }
  });

  it('distinguishes the two kinds of credentials', () => {
    const scheme = (auth: Endpoint['auth']) =>
      new Set(
        ENDPOINTS.filter((endpoint) => endpoint.auth === auth).flatMap((endpoint) =>
          operation(endpoint).security.flatMap((each) => Object.keys(each)),
        ),
      );
    assert.equal(scheme('apiKey').size, 1);
    assert.equal(scheme('dashboard').size, 1);
    assert.notDeepEqual(scheme('apiKey'), scheme('dashboard'));
  });

  it('lists the error codes of an upload', () => {
    const said = (method: 'GET' | 'POST' | 'DELETE', path: string) =>
      JSON.stringify(operation({ method, path, auth: 'apiKey', body: 'none' }).responses);
    for (const code of [
      'plan_limit',
      'no_providers_configured',
      'file_too_large',
      'payload_too_large',
    ])
      assert.match(said('POST', '/v1/upload/init'), new RegExp(code));
    for (const code of [
      'file_not_on_provider',
      'file_size_mismatch',
      'file_expired',
      'provider_error',
    ])
      assert.match(said('POST', '/v1/upload/complete'), new RegExp(code));
    assert.match(said('GET', '/v1/file/{fileId}'), /file_deleted/);
  });
});
