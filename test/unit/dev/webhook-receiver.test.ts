import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { Webhook } from 'standardwebhooks';
import { startWebhookReceiver, type WebhookReceiver } from '../../../dev/webhook-receiver.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const EVENT = { type: 'scan.completed', timestamp: '2026-11-25T10:15:00.000Z', data: { n: 1 } };
const BODY = JSON.stringify(EVENT);

describe('the webhook receiver of npm run dev', () => {
  let receiver: WebhookReceiver;
  let lines: string[];
  beforeEach(async () => {
    lines = [];
    receiver = await startWebhookReceiver({ print: (line) => lines.push(line) });
  });
  afterEach(async () => await receiver.close());

  const send = async (body: string, options: RequestOptions = {}) => {
    const { certificate: ca, url } = receiver;
    const sent = request(url, { ca, method: 'POST', ...options }).end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  const signed = (secret: string, { at = new Date(), body = BODY } = {}) => ({
    headers: {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
    },
  });

  it('prints an event in one line, and says that it cannot verify it', async () => {
    assert.equal(await send(BODY, signed(newSecret())), 204);
    const unverified = 'webhook scan.completed {"n":1} (evt_1, not verified: no secret is known)';
    assert.deepEqual(lines, [unverified]);
  });

  it('verifies an event by any secret that it was told', async () => {
    const secrets = [newSecret(), newSecret()];
    secrets.forEach(receiver.secrets.add);
    for (const secret of secrets) assert.equal(await send(BODY, signed(secret)), 204);
    const verified = 'webhook scan.completed {"n":1} (evt_1, verified)';
    assert.deepEqual(lines, [verified, verified]);
  });

  it('says what is wrong with an event, and takes it', async () => {
    const secret = newSecret();
    receiver.secrets.add(secret);
    const at = new Date(Date.now() - 6 * 60_000);
    for (const [options, problem] of [
      [signed(newSecret()), 'evt_1, not verified: No matching signature found'],
      [signed(secret, { body: `${BODY} ` }), 'evt_1, not verified: No matching signature found'],
      [signed(secret, { at }), 'evt_1, not verified: Message timestamp too old'],
      [{}, 'not verified: Missing required headers'],
    ] as const) {
      assert.equal(await send(BODY, options), 204);
      assert.equal(lines.at(-1), `webhook scan.completed {"n":1} (${problem})`);
    }
    assert.equal(lines.length, 4);
  });

  it('prints the text of a message for Slack, and what is no event, in one line', async () => {
    await send(JSON.stringify({ text: 'A scan\nhas completed.' }));
    await send('not\nJSON');
    await send('null');
    const texts = [String.raw`A scan\nhas completed.`, String.raw`not\nJSON`, 'null'];
    const printed = texts.map((text) => `webhook "${text}" (not verified: no secret is known)`);
    assert.deepEqual(lines, printed);
  });

  it('refuses other methods than POST', async () => {
    assert.equal(await send('', { method: 'GET' }), 405);
    assert.deepEqual(lines, []);
  });

  it('is trusted by its certificate only, under its name and its address', async () => {
    const code = { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
    await assert.rejects(send(BODY, { ca: undefined }), code);
    const { hostname } = new URL(receiver.url);
    assert.equal(hostname, 'localhost');
    assert.equal(await send(BODY, { hostname: '127.0.0.1' }), 204);
    await assert.rejects(send(BODY, { servername: 'example.com' }), {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  it('is gone after its close, with its connections', async () => {
    const open = request(receiver.url, { ca: receiver.certificate, method: 'POST' });
    open.write('{');
    const [socket] = (await once(open, 'socket')) as [TLSSocket];
    await once(socket, 'secureConnect');
    const broken = assert.rejects(once(open, 'response'), { code: 'ECONNRESET' });
    await receiver.close();
    await broken;
    await assert.rejects(send(BODY), { code: 'ECONNREFUSED' });
    receiver = await startWebhookReceiver({ print: () => {} });
  });
});
