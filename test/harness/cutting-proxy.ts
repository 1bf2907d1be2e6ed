import { createServer } from 'node:http';
import { listening } from './listening.ts';

/** Forwards reads to a service, and cuts each body off behind so many bytes; the last of the numbers is for all that follow. */
export async function startCuttingProxy(baseUrl: string, cuts: readonly number[]) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const cut = cuts[Math.min(paths.push(path), cuts.length) - 1] ?? Infinity;
    const headers = { authorization: request.headers.authorization ?? '' };
    void fetch(`${baseUrl}${path}`, { headers }).then(async (answer) => {
      const body = Buffer.from(await answer.arrayBuffer());
      response.writeHead(answer.status, { 'content-length': body.length });
      if (body.length <= cut) return response.end(body);
      return response.write(body.subarray(0, cut), () => response.destroy());
    });
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    /** Of the requests, in their order. */
    paths,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
