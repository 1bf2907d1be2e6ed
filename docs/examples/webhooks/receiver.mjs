/**
 * Receives webhooks of the Storage Routing Service (docs/guides/webhooks.md). Node 20 or newer, no dependency.
 *
 *     WEBHOOK_SECRET=whsec_… PORT=3000 node receiver.mjs
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET = '', PORT = '3000' } = process.env;
const TOLERANCE_SECONDS = 5 * 60;
const LARGEST_BODY_BYTES = 64 * 1024;

if (!WEBHOOK_SECRET.startsWith('whsec_')) throw new Error('WEBHOOK_SECRET must be whsec_…');
const key = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');

/** Yours: a table with a unique key, kept for four days. Repeats of an event have its id. */
const seen = new Set();

/** Yours: store it, and work on it later. An answer that takes over 15 s counts as a failure. */
function store({ type, data }) {
  console.log(type, JSON.stringify(data));
}

/** Whether the signature fits the bytes as they arrived, and is of the last five minutes. */
function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given } = headers;
  if (!id || !timestamp || !given) return false;
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= TOLERANCE_SECONDS)) return false;
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
  const expected = Buffer.from(`v1,${hmac.digest('base64')}`);
  // Several, separated by spaces, while the secret is being rotated.
  return given.split(' ').some((one) => {
    const signature = Buffer.from(one);
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}

async function receive(request) {
  if (request.method !== 'POST') return 405;
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= LARGEST_BODY_BYTES) chunks.push(chunk);
  }
  if (bytes > LARGEST_BODY_BYTES) return 400;
  const body = Buffer.concat(chunks);
  if (!isGenuine(request.headers, body)) return 400;
  const id = request.headers['webhook-id'];
  if (!seen.has(id)) {
    store(JSON.parse(body));
    seen.add(id);
  }
  return 204;
}

const server = createServer(async (request, response) => {
  response.writeHead(await receive(request).catch(() => 500)).end();
});
// Only from this machine: a proxy in front, or a tunnel, has the certificate.
server.listen(Number(PORT), '127.0.0.1');
