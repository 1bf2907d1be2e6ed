import assert from 'node:assert/strict';
import { ENDPOINTS, nameOf } from './endpoints.ts';
import { bodyOf, call } from './wire.ts';

interface Operation {
  readonly security: readonly Record<string, unknown>[];
  readonly parameters?: readonly { name: string; in: string; required: boolean }[];
  readonly requestBody?: {
    required: boolean;
    content: Record<string, { schema: { additionalProperties?: unknown } }>;
  };
  readonly responses: Record<string, unknown>;
}

interface Document {
  readonly openapi: string;
  readonly info: { version: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { securitySchemes: Record<string, { type: string; scheme: string }> };
}

/** The schemes of the description, by the credentials of the list. */
const SCHEMES = { none: [], apiKey: ['apiKey'], dashboard: ['dashboardToken'] } as const;
/** By the kind of body: whether it must be sent, and whether unknown fields are refused. */
const BODIES = {
  none: undefined,
  required: { required: true, additionalProperties: false },
  empty: { required: false, additionalProperties: false },
  signed: { required: true, additionalProperties: true },
} as const;

describe('The description at /openapi.json', () => {
  let document: Document;
  before(async () => {
    document = bodyOf(await call('GET', '/openapi.json'), 200) as Document;
  });

  // spec: versioning.labels
  it('is OpenAPI 3.1 of this version of the service', () => {
    assert.match(document.openapi, /^3\.1\.\d+$/);
    assert.equal(document.info.version, '0.1');
  });

  // spec: endpoint.*, retries.by-file-id-only, versioning.prefix
  it('says of the endpoints of the list, and of no others, who may call them and with what', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const { security, parameters = [], requestBody, responses } = operation;
        const schema = requestBody?.content['application/json']?.schema;
        return {
          name: `${method.toUpperCase()} ${path}`,
          schemes: security.flatMap((each) => Object.keys(each)),
          inPath: parameters.filter((one) => one.in !== 'query').map(({ name }) => name),
          body: requestBody && {
            required: requestBody.required,
            additionalProperties: schema?.additionalProperties,
          },
          maySay401: '401' in responses,
          maySucceed: Object.keys(responses).some((status) => status.startsWith('2')),
        };
      }),
    );
    const wanted = ENDPOINTS.map((endpoint) => ({
      name: nameOf(endpoint),
      schemes: SCHEMES[endpoint.auth],
      inPath: [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      body: BODIES[endpoint.body],
      maySay401: endpoint.auth !== 'none',
      maySucceed: true,
    }));
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    assert.deepEqual(described.sort(byName), wanted.sort(byName));
    for (const { type, scheme } of Object.values(document.components.securitySchemes))
      assert.deepEqual([type, scheme], ['http', 'bearer']);
  });

  // spec: events.none
  it('demands no query parameter, and describes no outgoing call', () => {
    assert.equal('webhooks' in document, false);
    for (const operation of Object.values(document.paths).flatMap((each) => Object.values(each))) {
      const demanded = operation.parameters?.filter((one) => one.in === 'query' && one.required);
      assert.deepEqual(demanded ?? [], []);
      assert.equal('callbacks' in operation, false);
    }
  });
});
