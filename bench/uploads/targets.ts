import type { Service } from '../../dev/service.ts';
import type { ProcessHandle } from '../../dev/system/processes.ts';
import type { Stack } from '../../dev/stack.ts';
import { createCustomer } from '../../test/harness/customer.ts';
import { requireBody, createHttp, type Reply } from './http.ts';
import type { MeteredProcess } from './processor-time.ts';

/** What the load goes to: the service, or the floor. */
export interface Target {
  readonly name: 'ours' | 'floor';
  readonly processes: readonly MeteredProcess[];
  /** Announces a small file; 201. */
  init(): Promise<Reply>;
  /** Announces a file and puts its object into the store; its id. */
  seed(): Promise<string>;
  complete(fileId: string): Promise<Reply>;
  delete(fileId: string): Promise<Reply>;
}

/** The service, called as a customer of its own with one store. */
export interface ServiceTarget extends Target {
  get(path: string): Promise<Reply>;
  post(path: string, body: object): Promise<Reply>;
}

const BYTES = Buffer.from('8 bytes.');
export const ANNOUNCEMENT = {
  fileName: 'report.txt',
  contentType: 'text/plain',
  fileSizeBytes: BYTES.length,
  priority: 'hot',
};

interface Announced {
  readonly fileId: string;
  readonly presignedUrl: string;
  readonly requiredHeaders: Readonly<Record<string, string>>;
}

export async function createServiceTarget(stack: Stack, service: Service): Promise<ServiceTarget> {
  const { baseUrl, apis, workers } = service;
  const { apiKey } = await createCustomer(stack, baseUrl, ['r2']);
  const send = createHttp();
  const authorization = { authorization: `Bearer ${apiKey}` };
  const headers = { ...authorization, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    send({ method: 'POST', url: `${baseUrl}${path}`, headers, body: JSON.stringify(body) });
  const get = (path: string) =>
    send({ method: 'GET', url: `${baseUrl}${path}`, headers: authorization });
  const init = () => post('/v1/upload/init', ANNOUNCEMENT);
  return {
    name: 'ours',
    processes: [
      ...apis.map(({ pid }) => ({ name: 'API', pid })),
      ...workers.map(({ pid }) => ({ name: 'worker', pid })),
      ...listServers(stack),
    ],
    get,
    post,
    init,
    async seed() {
      const { fileId, presignedUrl, requiredHeaders } = requireBody(await init(), 201) as Announced;
      const { status, text } = await send({
        method: 'PUT',
        url: presignedUrl,
        headers: requiredHeaders,
        body: BYTES,
      });
      if (status !== 200) throw new Error(`the store answered ${status}: ${text}`);
      return fileId;
    },
    complete: (fileId) => post('/v1/upload/complete', { fileId }),
    delete: (fileId) =>
      send({ method: 'DELETE', url: `${baseUrl}/v1/file/${fileId}`, headers: authorization }),
  };
}

/** Both targets use these servers. @throws Error where they are not the stack's own processes */
export function listServers({ temporal, mongodb, r2 }: Stack): readonly MeteredProcess[] {
  const findPid = (name: string, handle: ProcessHandle | null) => {
    if (handle) return { name, pid: handle.pid };
    throw new Error(`${name} must be started by this run: its processor time is measured`);
  };
  return [findPid('Temporal', temporal), findPid('MongoDB', mongodb), findPid('store', r2)];
}
