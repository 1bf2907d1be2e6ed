import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { isHttpUp } from '../../../dev/system/probes.ts';
import { takeFreePort } from '../../../dev/system/ports.ts';
import { loaderArguments } from '../../../dev/service.ts';
import { findProgram } from '../../../dev/services/service.ts';
import { services } from '../../../dev/services/services.ts';
import type { Stack } from '../../../dev/stack.ts';
import {
  createDataConverter,
  createPayloadCodec,
} from '../../../adapters/temporal/payload-codec.ts';
import { readWorkerConfig } from '../../../config/worker.ts';
import { payloadKey } from '../../harness/payload-keys.ts';
import { writeProgram } from '../../harness/pasted-commands.ts';
import { localServers } from '../../servers.ts';
import { readShellBlocks } from '../dev/fixtures/shell-blocks.ts';

const AUDIENCE = 'https://temporal-ui.example';
const UI_ORIGIN = 'https://temporal.example';
const BUILT = process.env['RUN_BUILT'];
const ENTRY = BUILT === undefined ? 'api/codec/main.ts' : `${BUILT}/api/codec/main.js`;
const WORKFLOW_ID = 'of-an-operator';

interface Ask {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface EncodedPayload {
  readonly metadata: Record<string, string>;
}

/** The process that Temporal's UI and CLI ask. */
describe('the codec endpoint', () => {
  const keys = [payloadKey('k2'), payloadKey('k1')].join(',');
  const { payloadKeys } = readWorkerConfig({
    MONGODB_URI: 'mongodb://unused',
    WORKER_QUEUES: 'scans',
    TEMPORAL_PAYLOAD_KEYS: keys,
  }).temporal;
  let stack: Stack;
  let origin: string;
  let token: string;

  before(async () => {
    ({ stack } = await localServers());
    assert.ok(stack.identity);
    token = await stack.identity.signToken({ aud: AUDIENCE });
    const port = await takeFreePort();
    origin = `http://127.0.0.1:${port}`;
    await stack.processes.start({
      name: 'codec',
      command: process.execPath,
      args: [...loaderArguments(ENTRY), ENTRY],
      folder: process.cwd(),
      environment: {
        ...process.env,
        HOST: '127.0.0.1',
        CODEC_PORT: String(port),
        CODEC_ORIGINS: UI_ORIGIN,
        CODEC_JWT_ISSUER: stack.identity.issuer,
        CODEC_JWT_AUDIENCE: AUDIENCE,
        TEMPORAL_NAMESPACE: stack.environment['TEMPORAL_NAMESPACE'] ?? '',
        TEMPORAL_PAYLOAD_KEYS: keys,
      },
      isReady: () => isHttpUp(`${origin}/health`),
      readyWithinMs: 30_000,
    });
  });

  const ask = async (path: string, init: Ask = {}) =>
    await fetch(origin + path, {
      method: 'POST',
      ...init,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...init.headers,
      },
    });
  const bodyOf = (...texts: string[]) =>
    JSON.stringify({
      payloads: texts.map((text) => ({
        metadata: { encoding: btoa('json/plain') },
        data: btoa(JSON.stringify(text)),
      })),
    });
  const encoded = async (...texts: string[]) => {
    const answer = await ask('/codec/encode', { body: bodyOf(...texts) });
    assert.equal(answer.status, 200);
    return await answer.text();
  };
  const isRefused = async (response: Response, status: number, code: string) => {
    assert.equal(response.status, status);
    const body = (await response.json()) as { code: string; error: string };
    assert.equal(body.code, code);
    return body.error;
  };

  it('encodes, and decodes what it encoded', async () => {
    const text = await encoded('a', 'b');
    assert.ok(text.includes(btoa('binary/encrypted')) && !text.includes(btoa('"a"')));
    const decoded = await ask('/codec/decode', { body: text });
    assert.deepEqual(await decoded.json(), JSON.parse(bodyOf('a', 'b')));
  });

  it('answers an operator only: no token, a customer’s token, another issuer’s', async () => {
    assert.ok(stack.identity);
    const customers = stack.identity.issueToken({ account: 'acme', algorithm: 'ES256' });
    const forged = await stack.identity.signToken({ aud: AUDIENCE, iss: 'https://else.example' });
    const old = await stack.identity.signToken({ aud: AUDIENCE, exp: 1_000_000_000 });
    const bearers = [customers, forged, old].map((each) => `Bearer ${each}`);
    for (const authorization of ['', 'Basic YTpi', ...bearers])
      for (const path of ['/codec/decode', '/codec/encode']) {
        const response = await ask(path, { body: bodyOf('a'), headers: { authorization } });
        await isRefused(response, 401, 'unauthorized');
      }
  });

  it('lets pages of the UI ask, and no other page', async () => {
    const names = 'authorization,content-type,x-namespace';
    const wanted = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': names,
    };
    const preflight = async (page: string) => {
      const headers = { origin: page, ...wanted };
      return (await fetch(`${origin}/codec/decode`, { method: 'OPTIONS', headers })).headers;
    };
    const allowed = await preflight(UI_ORIGIN);
    assert.equal(allowed.get('access-control-allow-origin'), UI_ORIGIN);
    assert.match(allowed.get('access-control-allow-headers') ?? '', /authorization.*x-namespace/);
    const evil = await preflight('https://evil.example');
    assert.equal(evil.get('access-control-allow-origin'), null);
    const asked = await ask('/codec/encode', { body: bodyOf('a'), headers: { origin: UI_ORIGIN } });
    assert.equal(asked.headers.get('access-control-allow-origin'), UI_ORIGIN);
  });

  it('refuses other bodies, namespaces, methods and keys in the form of the API', async () => {
    const huge = 'x'.repeat(9 * 2 ** 20);
    const refusals = [
      ['/codec/decode', { body: huge }, 413, 'payload_too_large'],
      ['/codec/decode', { body: '{' }, 400, 'invalid_request'],
      ['/codec/decode', { body: '{"payloads":1}' }, 400, 'invalid_request'],
      ['/codec/decode', { body: '{"payloads":[{"data":"*"}]}' }, 400, 'invalid_request'],
      ['/codec/decode', { body: '{}', headers: { 'x-namespace': 'b' } }, 400, 'invalid_request'],
      ['/codec/decode', { body: 'a', headers: { 'content-type': 'a/b' } }, 415, ''],
      ['/codec/decode', { method: 'PUT' }, 405, 'method_not_allowed'],
      ['/v1/me', {}, 404, 'not_found'],
    ] as const;
    for (const [path, init, status, code] of refusals)
      await isRefused(await ask(path, init), status, code || 'unsupported_media_type');

    const { payloads } = JSON.parse(await encoded('a')) as { payloads: EncodedPayload[] };
    for (const { metadata } of payloads) metadata['encryption-key-id'] = btoa('k9');
    const body = JSON.stringify({ payloads });
    const message = await isRefused(await ask('/codec/decode', { body }), 400, 'invalid_request');
    assert.match(message, /encrypted with the key "k9"/);
  });

  it('shows the CLI what an operator wants to see', async () => {
    const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '' } =
      stack.environment;
    const connection = await Connection.connect({ address });
    const dataConverter = createDataConverter(createPayloadCodec(payloadKeys), true);
    const client = new Client({ connection, namespace, dataConverter });
    await client.workflow.start('scan', {
      taskQueue: 'nobody-polls',
      workflowId: WORKFLOW_ID,
      args: [{ accountId: 'acme-7', connectionId: 'connection-7' }],
      memo: { requestId: 'request-7' },
      staticSummary: 'scan number 7',
    });
    await connection.close();
    const { command, args } = await findProgram(services.temporal, stack.resolverContext);
    const shown = ['workflow', 'show', '--workflow-id', WORKFLOW_ID, '--output', 'json'];
    const at = ['--address', address, '--namespace', namespace];
    const run = promisify(execFile);
    // The CLI shows a payload as base64.
    const readable = ({ stdout }: { readonly stdout: string }) =>
      stdout.replaceAll(/"data": "([^"]+)"/g, (_match, data: string) => atob(data));
    const show = async (...more: string[]) =>
      readable(await run(command, [...args, ...shown, ...at, ...more]));
    const folder = await mkdtemp(join(tmpdir(), 'operator-'));
    await writeProgram(folder, 'temporal', `exec '${[command, ...args].join("' '")}' "$@"`);
    const documented =
      readShellBlocks('docs/operations.md').find(({ commands }) =>
        commands.includes('--codec-endpoint'),
      ) ?? assert.fail('no command');
    const showAsDocumented = async () =>
      readable(
        await run('bash', ['-c', documented.commands], {
          env: {
            PATH: [folder, process.env['PATH']].join(delimiter),
            HOME: folder,
            TEMPORAL_ADDRESS: address,
            TEMPORAL_NAMESPACE: namespace,
            WORKFLOW_ID,
            CODEC_URL: origin,
            TOKEN: token,
          },
        }),
      );
    const secrets = ['acme-7', 'connection-7', 'request-7', 'scan number 7'];
    const codec = ['--codec-endpoint', `${origin}/codec`];
    const [raw, decoded] = await Promise.all([
      show(),
      showAsDocumented(),
      assert.rejects(show(...codec), /401|failed/i),
    ]);
    await rm(folder, { recursive: true });
    for (const secret of secrets) {
      assert.ok(!raw.includes(secret), secret);
      assert.ok(decoded.includes(secret), secret);
    }
  });
});
