import assert from 'node:assert/strict';
import { catalogue } from '../price-book.ts';
import { lacking, uploadFrom, type PreflightAnswer } from '../../../domain/providers/cors.ts';

const ORIGIN = 'https://app.example.com';

describe('the judgement of a preflight', () => {
  const allowing: PreflightAnswer = {
    status: 200,
    allowOrigin: ORIGIN,
    allowMethods: 'GET, PUT',
    allowHeaders: 'Content-Type, x-other',
  };
  const NONE = 'no rule of the bucket allows the origin, PUT and content-type';
  const ORIGIN_LACKS = 'the origin is not allowed';
  const METHOD_LACKS = 'the method PUT is not allowed';
  const HEADER_LACKS = 'the header content-type is not allowed';
  const NOTHING = { allowOrigin: undefined, allowMethods: undefined, allowHeaders: undefined };
  for (const [what, change, ...lacks] of [
    ['allows all three', {}],
    ['is empty but successful', { status: 204 }],
    ['allows any origin', { allowOrigin: '*' }],
    ['allows any method', { allowMethods: '*' }],
    ['allows any header', { allowHeaders: '*' }],
    ['is a refusal', { status: 403 }, NONE],
    ['is a redirect', { status: 301 }, NONE],
    ['names another origin', { allowOrigin: `${ORIGIN}:8443` }, ORIGIN_LACKS],
    ['names the origin in upper case', { allowOrigin: ORIGIN.toUpperCase() }, ORIGIN_LACKS],
    ['names two origins', { allowOrigin: `${ORIGIN}, ${ORIGIN}` }, ORIGIN_LACKS],
    ['names no origin', { allowOrigin: undefined }, ORIGIN_LACKS],
    ['names another method', { allowMethods: 'GET' }, METHOD_LACKS],
    ['names the method in lower case', { allowMethods: 'put' }, METHOD_LACKS],
    ['names another header', { allowHeaders: 'x-content-type' }, HEADER_LACKS],
    ['names nothing', NOTHING, ORIGIN_LACKS, METHOD_LACKS, HEADER_LACKS],
  ] as [string, Partial<PreflightAnswer>, ...string[]][])
    it(`lacks ${lacks.join(', ') || 'nothing'} where the answer ${what}`, () =>
      assert.deepEqual(lacking(uploadFrom(ORIGIN), { ...allowing, ...change }), lacks));
});

describe('the CORS rules of a provider', () => {
  it('are in its own format', () => {
    const [methods, headers, maxAge] = [['PUT', 'GET'], ['content-type', 'content-md5'], 3600];
    const s3 = {
      AllowedOrigins: [ORIGIN],
      AllowedMethods: methods,
      AllowedHeaders: headers,
      ExposeHeaders: ['ETag'],
      MaxAgeSeconds: maxAge,
    };
    const b2 = {
      corsRuleName: 'storage-routing-uploads',
      allowedOrigins: [ORIGIN],
      allowedOperations: ['s3_put', 's3_get'],
      allowedHeaders: headers,
      exposeHeaders: ['ETag'],
      maxAgeSeconds: maxAge,
    };
    const rules = ['aws', 'r2', 'b2'].map((provider) =>
      catalogue.entry(provider).corsRules(ORIGIN),
    );
    assert.deepEqual(rules, [[s3], [s3], [b2]]);
  });
});
