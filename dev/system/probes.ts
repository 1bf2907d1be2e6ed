import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const PROBE_WITHIN_MS = 1_000;

/** Polls until the condition holds; false if the deadline passes first. */
export async function isSoon(
  isReady: () => Promise<boolean>,
  options: { withinMs: number; everyMs?: number; giveUp?: () => boolean },
): Promise<boolean> {
  const deadline = Date.now() + options.withinMs;
  while (Date.now() < deadline) {
    if (options.giveUp?.()) return false;
    if (await isReady()) return true;
    await delay(options.everyMs ?? 20);
  }
  return false;
}

/** Whether a GET is answered with a 2xx. */
export async function isHttpUp(url: string): Promise<boolean> {
  return (await fetchStatus(url))?.toString().startsWith('2') ?? false;
}

/** Whether a GET is answered at all: for a server that refuses requests without a key. */
export async function isHttpAnswering(url: string): Promise<boolean> {
  return (await fetchStatus(url)) !== undefined;
}

async function fetchStatus(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_WITHIN_MS) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}

/** Whether MongoDB answers a `hello`. Written without the driver, which loads slowly. */
export async function isMongoUp(host: string, port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (isUp: boolean) => {
      socket.destroy();
      resolve(isUp);
    };
    socket.setTimeout(PROBE_WITHIN_MS, () => end(false));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
    socket.once('connect', () => socket.write(helloMessage()));
    socket.once('data', (reply) => end(reply.length > 16 && reply.includes('isWritablePrimary')));
  });
}

/** Whether the frontend serves the namespace `default`. One gRPC call without the SDK, which loads slowly. */
export async function isTemporalUp(host: string, port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const session = connectHttp2(`http://${host}:${port}`);
    const end = (isUp: boolean) => {
      session.destroy();
      resolve(isUp);
    };
    session.once('error', () => end(false));
    session.setTimeout(PROBE_WITHIN_MS, () => end(false));
    const call = session.request({
      ':method': 'POST',
      ':path': '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    call.once('error', () => end(false));
    call.once('response', (headers) => {
      if (headers['grpc-status'] !== undefined) end(headers['grpc-status'] === '0');
    });
    call.once('trailers', (trailers) => end(trailers['grpc-status'] === '0'));
    call.resume();
    call.end(describeNamespaceMessage('default'));
  });
}

/** OP_MSG holding `{ hello: 1, $db: 'admin' }`. */
function helloMessage(): Buffer {
  const body = Buffer.from('\x10hello\0\x01\0\0\0\x02$db\0\x06\0\0\0admin\0\0', 'latin1');
  const message = Buffer.alloc(16 + 4 + 1 + 4 + body.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(1, 4);
  message.writeInt32LE(2013, 12);
  message.writeInt32LE(4 + body.length, 21);
  body.copy(message, 25);
  return message;
}

/** Length-prefixed protobuf whose first field is the namespace's name. */
function describeNamespaceMessage(namespace: string): Buffer {
  const body = Buffer.from(`\x0a${String.fromCharCode(namespace.length)}${namespace}`, 'latin1');
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(body.length, 1);
  return Buffer.concat([prefix, body]);
}
