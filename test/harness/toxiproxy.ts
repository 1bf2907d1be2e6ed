import { findProgram } from '../../dev/services/service.ts';
import { services } from '../../dev/services/services.ts';
import { toxiproxyProcess } from '../../dev/services/toxiproxy.ts';
import type { Stack } from '../../dev/stack.ts';
import { takeFreePort } from '../../dev/system/ports.ts';

const LATENCY_MS = 2_000;
const SLOW_KB_PER_SECOND = 10;
/** Less than any answer of a dependency: it breaks off in its headers or its body. */
const CUT_AFTER_BYTES = 120;

interface Toxic {
  readonly type: 'latency' | 'timeout' | 'reset_peer' | 'limit_data' | 'bandwidth';
  /** Upstream: what the service sends. */
  readonly stream: 'upstream' | 'downstream';
  readonly attributes: Readonly<Record<string, number>>;
}

/** What a network does to a dependency. Without a toxic the proxy refuses connections. */
export const TOXICS = {
  'two seconds of latency': [
    { type: 'latency', stream: 'downstream', attributes: { latency: LATENCY_MS } },
  ],
  'a connection that hangs': [{ type: 'timeout', stream: 'upstream', attributes: { timeout: 0 } }],
  'connections that are reset': [
    { type: 'reset_peer', stream: 'downstream', attributes: { timeout: 0 } },
  ],
  'answers that break off': [
    { type: 'limit_data', stream: 'downstream', attributes: { bytes: CUT_AFTER_BYTES } },
  ],
  'ten kilobytes per second': [
    { type: 'bandwidth', stream: 'downstream', attributes: { rate: SLOW_KB_PER_SECOND } },
    { type: 'bandwidth', stream: 'upstream', attributes: { rate: SLOW_KB_PER_SECOND } },
  ],
  'no server': [],
  'answers that are lost': [{ type: 'limit_data', stream: 'downstream', attributes: { bytes: 0 } }],
} as const satisfies Record<string, readonly Toxic[]>;
export type ToxicName = keyof typeof TOXICS;

export type Toxiproxy = Awaited<ReturnType<typeof openToxiproxy>>;
/** A server behind the proxy. */
export type ProxiedServer = Awaited<ReturnType<Toxiproxy['open']>>;

/** Starts toxiproxy; it ends with the stack's processes. */
export async function openToxiproxy(stack: Stack) {
  const controlPort = await takeFreePort();
  const program = await findProgram(services.toxiproxy, stack.resolverContext);
  await stack.processes.start(toxiproxyProcess(program, controlPort));
  const send = async (method: string, path: string, body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`http://127.0.0.1:${controlPort}${path}`, { method, ...sent });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return answer;
  };

  return {
    /** @param upstream `host:port` of the server */
    async open(name: string, upstream: string) {
      const host = `127.0.0.1:${await takeFreePort()}`;
      await send('POST', '/proxies', { name, listen: host, upstream });
      const path = `/proxies/${name}`;
      const add = async (toxic: Toxic) => {
        const { type, stream } = toxic;
        await send('POST', `${path}/toxics`, { ...toxic, name: `${type}_${stream}` });
      };
      return {
        host,
        /** Poisons the connections that are open, and new ones. */
        async poison(toxic: ToxicName) {
          for (const each of TOXICS[toxic]) await add(each);
          if (TOXICS[toxic].length === 0) await send('POST', path, { enabled: false });
        },
        /** @param rate in KB per second, of what the service reads */
        slowDown: (rate: number) =>
          add({ type: 'bandwidth', stream: 'downstream', attributes: { rate } }),
        async heal() {
          const found = (await (await send('GET', `${path}/toxics`)).json()) as { name: string }[];
          for (const toxic of found) await send('DELETE', `${path}/toxics/${toxic.name}`);
          await send('POST', path, { enabled: true });
        },
      };
    },
  };
}
