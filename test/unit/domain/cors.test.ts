import assert from 'node:assert/strict';
import { CATALOGUE, PROVIDER_NAMES } from '../../../domain/provider/catalogue.ts';
import { lacking, uploadFrom, type PreflightAnswer } from '../../../domain/provider/cors.ts';

const ORIGIN = 'https://app.example.com';

describe('the judgement of a preflight', () => {
  const allowing: PreflightAnswer = {
    status: 200,
    allowOrigin: ORIGIN,
    allowMethods: 'GET, PUT',
    allowHeaders: 'Content-Type, x-other',
  };
  const cases: [what: string, change: Partial<PreflightAnswer>, lacks: string[]][] = [
    ['allows all three', {}, []],
    ['is empty but successful', { status: 204 }, []],
    ['allows any origin', { allowOrigin: '*' }, []],
    ['allows any method', { allowMethods: '*' }, []],
    ['allows any header', { allowHeaders: '*' }, []],
    [
      'is a refusal',
      { status: 403 },
      ['no rule of the bucket allows the origin, PUT and content-type'],
    ],
    [
      'is a redirect',
      { status: 301 },
      ['no rule of the bucket allows the origin, PUT and content-type'],
    ],
    ['names another origin', { allowOrigin: `${ORIGIN}:8443` }, ['the origin is not allowed']],
    [
      'names the origin in upper case',
      { allowOrigin: ORIGIN.toUpperCase() },
      ['the origin is not allowed'],
    ],
    ['names two origins', { allowOrigin: `${ORIGIN}, ${ORIGIN}` }, ['the origin is not allowed']],
    ['names no origin', { allowOrigin: undefined }, ['the origin is not allowed']],
    ['names another method', { allowMethods: 'GET' }, ['the method PUT is not allowed']],
    ['names the method in lower case', { allowMethods: 'put' }, ['the method PUT is not allowed']],
    [
      'names another header',
      { allowHeaders: 'x-content-type' },
      ['the header content-type is not allowed'],
    ],
    [
      'names nothing',
      { allowOrigin: undefined, allowMethods: undefined, allowHeaders: undefined },
      [
        'the origin is not allowed',
        'the method PUT is not allowed',
        'the header content-type is not allowed',
      ],
    ],
  ];
  for (const [what, change, lacks] of cases) {
    it(`lacks ${lacks.length === 0 ? 'nothing' : lacks.join(', ')} where the answer ${what}`, () => {
      assert.deepEqual(lacking(uploadFrom(ORIGIN), { ...allowing, ...change }), lacks);
    });
  }
});

describe('the CORS rules of a provider', () => {
  const rules = Object.fromEntries(
    PROVIDER_NAMES.map((provider) => [provider, CATALOGUE[provider].corsRules(ORIGIN)]),
  );
  const s3 = [
    {
      AllowedOrigins: [ORIGIN],
      AllowedMethods: ['PUT', 'GET'],
      AllowedHeaders: ['content-type', 'content-md5'],
      ExposeHeaders: ['ETag'],
      MaxAgeSeconds: 3600,
    },
  ];

  it('are in its own format', () => {
    assert.deepEqual(rules, {
      aws: s3,
      r2: s3,
      b2: [
        {
          corsRuleName: 'storage-routing-uploads',
          allowedOrigins: [ORIGIN],
          allowedOperations: ['s3_put', 's3_get'],
          allowedHeaders: ['content-type', 'content-md5'],
          exposeHeaders: ['ETag'],
          maxAgeSeconds: 3600,
        },
      ],
    });
  });
});
