import assert from 'node:assert/strict';
import { catalogue } from './account-client.ts';
import { API_KEY, CONNECTION_ID, CREDENTIALS, FILE_ID, refusal, SCAN_ID, srs } from './terminal.ts';

const env = { ...CREDENTIALS, SRS_PROVIDER_ACCESS_KEY_ID: 'id', SRS_EXTERNAL_ID: 'e' };
const page = '--status none, --limit 0, --limit 51, --offset 10001, --offset 1e2';
const aws = '--region x, --region us-east-1 --account-id a, --region us-east-1 --jurisdiction eu';

/** By command, what is refused before anything but the catalogue is asked for. */
const WRONG = {
  '': 'nothing-of-ours, , rm, get, put, scan',
  'providers set r2 --bucket b': ', --account-id a --region x, --account-id a --jurisdiction mars',
  'providers set aws --bucket b': `, ${aws}`,
  providers: 'set gcs --bucket b, test gcs, rm gcs',
  connect: '--regions x, --role-arn x',
  [`get ${FILE_ID}`]: '-o - --json',
  'put -': ', - --name x',
  'put a':
    'b --name x, --size 5, --priority warm, --concurrency 0, --parts 33, --unknown, --accept-modified',
  [`put --resume ${FILE_ID}`]: 'a b, a --name x, a --priority hot, - --size 5',
  [`scan ${CONNECTION_ID}`]: `--scan-id ${SCAN_ID}`,
  recommendations: page,
  migrations: page,
};

describe('wrong usage', () => {
  for (const [command, all] of Object.entries(WRONG))
    for (const options of all.split(', '))
      it(`is refused: srs ${command} ${options}`, async () => {
        const client = { providers: { catalogue } };
        const ran = await srs(`${command} ${options}`, { client, env });
        assert.deepEqual([ran.exitCode, ran.stdout], [2, '']);
      });

  for (const [command, what, given = 'x'] of [
    ['get nonsense', 'a file id (srs history uploads lists them)', 'nonsense'],
    [`rm ${FILE_ID} x`, 'a file id (srs history uploads lists them)'],
    ['put --resume x a', 'a file id (srs history uploads lists them)'],
    ['scan x', 'a connection id (srs connections lists them)'],
    ['scan --scan-id x', 'a scan id (srs history lists them)'],
    ['approve x --target b2', 'a recommendation id (srs recommendations lists them)'],
    ['migration watch x', 'a migration id (srs migrations lists them)'],
    [`get ${API_KEY}`, 'a file id (srs history uploads lists them)', 'svc_test_…'],
  ] as const)
    it(`is said before anything is sent: ${given} is not ${what}`, async () => {
      const said = `${given} is not ${what}`;
      const ran = await srs(command);
      assert.deepEqual([ran.exitCode, ran.stdout, ran.stderr], [2, '', `srs: ${said}\n`]);
      assert.equal(ran.options, undefined);
      const [failure] = (await srs(`${command} --json`)).failures();
      assert.deepEqual(failure, { error: said, code: 'wrong_usage' });
    });
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
