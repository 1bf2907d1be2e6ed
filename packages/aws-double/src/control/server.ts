import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import type { RoleSpec, SessionFilter, UserSpec } from '../identity/directory.ts';
import type { FaultSpec } from './faults.ts';
import type { BucketSpec, Control } from './control.ts';
import type { SeedSpec } from './seed.ts';

type Handle = (control: Control, body: unknown) => unknown;

// The bodies are the arguments of the functions of the same name, not validated: the only callers
// are this repository's own tests and tools.
const ROUTES: Readonly<Record<string, Handle>> = {
  'POST /users': (control, body) => control.putUser(body as UserSpec),
  'DELETE /users': (control, body) => control.removeUser((body as UserSpec).accessKeyId),
  'POST /roles': (control, body) => control.putRole(body as RoleSpec),
  'DELETE /roles': (control, body) => control.removeRole((body as RoleSpec).roleArn),
  'POST /sessions/expire': (control, body) => ({
    sessions: control.expireSessions(body as SessionFilter),
  }),
  'POST /sessions/revoke': (control, body) => ({
    sessions: control.revokeSessions(body as SessionFilter),
  }),
  'POST /buckets': (control, body) => control.putBucket(body as BucketSpec),
  'DELETE /buckets': (control, body) => control.removeBucket((body as BucketSpec).name),
  'POST /seed': (control, body) => control.seed(body as SeedSpec),
  'POST /lifecycle': (control, body) => control.applyLifecycle((body as SeedSpec).bucket),
  'POST /faults': (control, body) => control.addFault(body as FaultSpec),
  'DELETE /faults': (control) => control.clearFaults(),
  'GET /counts': (control) => control.counts(),
  'GET /requests': (control) => ({ ...control.counts(), requests: control.requests() }),
  'POST /reset-counters': (control) => control.resetCounters(),
};

/** The control over HTTP: JSON in, JSON out; 400 with the reason for an invalid call. */
export function createControlListener(control: Control): RequestListener {
  return (incoming, outgoing) => {
    handle(control, incoming, outgoing).catch((error: unknown) => {
      send(outgoing, 400, { error: String(error) });
    });
  };
}

async function handle(
  control: Control,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const route = ROUTES[`${incoming.method} ${incoming.url}`];
  if (route === undefined) {
    send(outgoing, 404, { error: 'unknown call', calls: Object.keys(ROUTES) });
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const result = await route(control, text === '' ? {} : JSON.parse(text));
  send(outgoing, 200, result ?? {});
}

function send(outgoing: ServerResponse, status: number, body: unknown): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify(body));
}
