import { join } from 'node:path';
import process from 'node:process';
import { loaderArguments } from '../../dev/service.ts';
import { takeFreePort } from '../../dev/system/ports.ts';
import { isHttpUp } from '../../dev/system/probes.ts';
import type { ProcessHandle } from '../../dev/system/processes.ts';
import type { Stack } from '../../dev/stack.ts';
import { requireBody, createHttp } from './http.ts';
import { ANNOUNCEMENT, listServers, type Target } from './targets.ts';

/** The floor: the least that an API could do for each call, in a process of its own. */
export interface FloorTarget extends Target {
  readonly handle: ProcessHandle;
  /** Milliseconds of each HEAD plus three writes, one after the other, without HTTP and Temporal. */
  timeDirect(count: number): Promise<number[]>;
}

const ENTRY = 'bench/uploads/floor-process.ts';
const ROOT = join(import.meta.dirname, '..', '..');

export async function startFloor(stack: Stack): Promise<FloorTarget> {
  const port = await takeFreePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const handle = await stack.processes.start({
    name: 'floor',
    command: process.execPath,
    args: [...loaderArguments(ENTRY), join(ROOT, ENTRY)],
    folder: ROOT,
    environment: { ...stack.environment, PORT: String(port) },
    isReady: () => isHttpUp(`${baseUrl}/health`),
    readyWithinMs: 60_000,
  });
  const send = createHttp();
  const headers = { 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    send({ method: 'POST', url: `${baseUrl}${path}`, headers, body: JSON.stringify(body) });
  return {
    name: 'floor',
    handle,
    processes: [{ name: 'floor', pid: handle.pid }, ...listServers(stack)],
    init: () => post('/init', ANNOUNCEMENT),
    async seed() {
      return (requireBody(await post('/seed', ANNOUNCEMENT), 201) as { fileId: string }).fileId;
    },
    complete: (fileId) => post('/complete', { fileId }),
    delete: (fileId) => send({ method: 'DELETE', url: `${baseUrl}/file/${fileId}` }),
    async timeDirect(count) {
      return (requireBody(await post('/direct', { count }), 200) as { ms: number[] }).ms;
    },
  };
}
