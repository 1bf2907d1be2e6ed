import { finished } from 'node:stream/promises';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { escapeText } from '@storage-routing/client';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { EXIT, exitCodeFor, type ExitCode } from '../io/failure.ts';
import type { Invocation } from '../io/invocation.ts';
import { escapeLines } from '../io/text.ts';
import { addTools, INSTRUCTIONS } from './mcp-tools.ts';

/** After the end of its input. A client that does not wait so long ends the process by a signal. */
const LAST_ANSWERS_MS = 10_000;

/** Answers until the client closes the input, or a signal ends the process. */
export async function serveMcp(call: Invocation, version: string): Promise<ExitCode> {
  const { context, print, signal } = call;
  const client = async () =>
    context.createClient({ ...(await call.access()), fetch: fetchReading });
  const running = new Set<Promise<unknown>>();
  const server = new McpServer({ name: 'srs', version }, { instructions: INSTRUCTIONS });
  addTools(server, async (answer, cancelled) => {
    const reading = { ...call, client, signal: AbortSignal.any([signal, cancelled]) };
    const work = resultOf(reading, answer);
    running.add(work);
    return await work.finally(() => running.delete(work));
  });
  const closed = new AbortController();
  Object.assign(server.server, {
    onerror: ({ message }: Error) => print.note(escapeText(`a message was refused: ${message}`)),
    onclose: () => closed.abort(),
  });
  await server.connect(new StdioServerTransport(context.stdin, context.stdout));

  const ending = AbortSignal.any([signal, closed.signal]);
  await finished(context.stdin, { writable: false, signal: ending }).catch(() => undefined);
  if (signal.aborted) return exitCodeFor(signal.reason, signal);
  // The last messages are still being parsed.
  await setImmediate();
  await Promise.race([Promise.all(running), setTimeout(LAST_ANSWERS_MS)]);
  // The last answers are being written.
  await setImmediate();
  return EXIT.done;
}

/** An answer of a tool, or its failure as `srs` prints it. Never rejects. */
async function resultOf(call: Invocation, answer: (call: Invocation) => Promise<string>) {
  const content = (text: string) => [{ type: 'text' as const, text: escapeLines(text) }];
  try {
    return { content: content(await answer(call)) };
  } catch (error) {
    call.print.failure(error);
    // The person may log in, or log in again, while this process runs.
    call.forget();
    return { content: content(call.print.failureText(error)), isError: true };
  }
}

/** Refuses whatever would change something, before it is sent. */
const fetchReading: typeof fetch = async (input, init) => {
  if (init?.method !== 'GET') throw new Error('srs mcp only reads');
  return await fetch(input, init);
};
