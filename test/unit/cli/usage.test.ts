import assert from 'node:assert/strict';
import { catalogue } from './account-client.ts';
import {
  CONNECTION_ID,
  CREDENTIALS,
  type FakeClient,
  FILE_ID,
  refusal,
  SCAN_ID,
  srs,
} from './terminal.ts';

const env = { ...CREDENTIALS, SRS_PROVIDER_ACCESS_KEY_ID: 'id', SRS_EXTERNAL_ID: 'e' };

/** Refused before anything but the catalogue is asked for. */
const WRONG = [
  'nothing-of-ours',
  '',
  'providers set r2 --bucket b',
  'providers set r2 --bucket b --account-id a --region x',
  'providers set aws --bucket b',
  'providers set aws --bucket b --region x',
  'providers set aws --bucket b --region us-east-1 --account-id a',
  'providers set aws --bucket b --region us-east-1 --jurisdiction eu',
  'providers set r2 --bucket b --account-id a --jurisdiction mars',
  'providers set gcs --bucket b',
  'providers test gcs',
  'providers rm gcs',
  'connect --regions x',
  'connect --role-arn x',
  'rm',
  'get',
  `get ${FILE_ID} -o - --json`,
  'put',
  'put -',
  'put - - --name x',
  'put a b --name x',
  'put a --size 5',
  'put a --priority warm',
  'put a --concurrency 0',
  'put a --parts 33',
  'put a --unknown',
  'put a --accept-modified',
  `put a b --resume ${FILE_ID}`,
  `put a --resume ${FILE_ID} --name x`,
  `put a --resume ${FILE_ID} --priority hot`,
  `put - --resume ${FILE_ID} --size 5`,
  'scan',
  `scan ${CONNECTION_ID} --scan-id ${SCAN_ID}`,
  ...['recommendations', 'migrations'].flatMap((list) =>
    ['--status none', '--limit 0', '--limit 51', '--offset 10001', '--offset 1e2'].map(
      (option) => `${list} ${option}`,
    ),
  ),
];

describe('wrong usage', () => {
  for (const command of WRONG)
    it(`is refused: srs ${command}`, async () => {
      const client: FakeClient = { providers: { catalogue } };
      const ran = await srs(command, { client, env });
      assert.deepEqual([ran.exitCode, ran.stdout], [2, '']);
    });

  for (const [command, said] of [
    ['get nonsense', 'nonsense is not a file id (srs history uploads lists them)'],
    [`rm ${FILE_ID} x`, 'x is not a file id (srs history uploads lists them)'],
    ['put --resume x a', 'x is not a file id (srs history uploads lists them)'],
    ['scan x', 'x is not a connection id (srs connections lists them)'],
    ['scan --scan-id x', 'x is not a scan id (srs history lists them)'],
    ['approve x --target b2', 'x is not a recommendation id (srs recommendations lists them)'],
    ['migration watch x', 'x is not a migration id (srs migrations lists them)'],
    [
      'get svc_test_0d9e6c0e-5c5e-4d55-9c0f-7d4c7b4f3a21',
      'svc_test_… is not a file id (srs history uploads lists them)',
    ],
  ] as const) {
    it(`is said before anything is sent: ${said}`, async () => {
      const ran = await srs(command);
      assert.deepEqual([ran.exitCode, ran.stdout, ran.stderr], [2, '', `srs: ${said}\n`]);
      assert.equal(ran.options, undefined);
      const [failure] = (await srs(`${command} --json`)).failures();
      assert.deepEqual(failure, { error: said, code: 'wrong_usage' });
    });
  }
});

describe('an error of the service', () => {
  for (const [code, message, said] of [
    [
      'unauthorized',
      'GET /v1/me 401: the API key is not valid',
      'the API key is not valid; log in with: srs login (SRS_API_KEY and SRS_DASHBOARD_TOKEN come before it if they are set)',
    ],
    ['no_credentials', 'this call needs apiKey', 'this needs an API key; log in with: srs login'],
    [
      'no_credentials',
      'this call needs dashboardToken',
      'this needs a dashboard token; log in with: srs login',
    ],
    [
      'connection_failed',
      'GET /v1/me: no connection',
      'the service: no connection; is this the right address? --base-url, SRS_BASE_URL or srs login set it',
    ],
    [
      'recommendation_not_open',
      'POST /v1/scanner/recommendations/x/approve 409: This is over.',
      'This is over; what is open: srs recommendations --status open',
    ],
    ['plan_limit', 'GET /v1/me 402: too much', 'too much; what is used of it: srs usage'],
  ] as const) {
    it(`names no route of the service: ${said}`, async () => {
      const me = () => Promise.reject(Object.assign(refusal(code), { message }));
      assert.equal((await srs('me', { client: { me } })).stderr, `srs: ${said}\n`);
    });
  }
});
