import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ask } from './lean-client.ts';

const BYTES = 'x'.repeat(8);

/** How many there are, and how many calls they make together. */
export interface Callers {
  readonly callers: number;
  readonly callsPerSecond: number;
}

/** Callers that announce, send, complete, read and delete files, at a steady rate together. */
export function keepCalling(ask: Ask, { callers: count, callsPerSecond }: Callers) {
  const counts: Record<string, number> = {};
  const faults: string[] = [];
  const [active, deleted] = [new Set<string>(), new Set<string>()];
  const over = new AbortController();
  const startedAt = performance.now();

  /** Undefined: the call was refused, or lost. */
  async function call(what: string, expected: number, ...given: Parameters<Ask>) {
    const begunAt = performance.now();
    try {
      const { status, text } = await ask(...given);
      counts[`${what} ${status}`] = (counts[`${what} ${status}`] ?? 0) + 1;
      if (status === expected) return JSON.parse(text) as unknown;
      faults.push(`${what}: ${status} ${text}`);
    } catch (error) {
      faults.push(`${what}: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
    } finally {
      const paceMs = (count * 1_000) / callsPerSecond;
      await wait(Math.max(0, paceMs - (performance.now() - begunAt)));
    }
    return undefined;
  }

  async function runFile(index: number): Promise<void> {
    const file = { fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: BYTES.length };
    const begun = await call('init', 201, 'POST', '/v1/upload/init', file);
    if (!begun) return;
    const { fileId, presignedUrl, requiredHeaders } = begun as {
      fileId: string;
      presignedUrl: string;
      requiredHeaders: Record<string, string>;
    };
    const put = { method: 'PUT', headers: requiredHeaders, body: BYTES };
    assert.equal((await fetch(presignedUrl, put)).status, 200);
    if (!(await call('complete', 200, 'POST', '/v1/upload/complete', { fileId }))) return;
    active.add(fileId);
    await call('get', 200, 'GET', `/v1/file/${fileId}`);
    await call('me', 200, 'GET', '/v1/me');
    if (index % 3 !== 0) return;
    active.delete(fileId);
    if (await call('delete', 200, 'DELETE', `/v1/file/${fileId}`)) deleted.add(fileId);
  }

  const run = async () => {
    for (let index = 0; !over.signal.aborted; index += 1) await runFile(index);
  };
  const callers = Array.from({ length: count }, run);
  return {
    async end() {
      over.abort();
      await Promise.all(callers);
      const seconds = (performance.now() - startedAt) / 1_000;
      return { counts, faults, active, deleted, seconds };
    },
  };
}

/** That no acknowledged file is lost, and none is back. */
export async function requireKept(
  ask: Ask,
  { active, deleted }: { readonly active: Iterable<string>; readonly deleted: Iterable<string> },
): Promise<void> {
  for (const fileId of active) {
    const { status, text } = await ask('GET', `/v1/file/${fileId}`);
    assert.equal(status, 200);
    const { downloadUrl } = JSON.parse(text) as { downloadUrl: string };
    const stored = await fetch(downloadUrl);
    assert.equal(await stored.text(), BYTES, fileId);
  }
  for (const fileId of deleted)
    assert.equal((await ask('GET', `/v1/file/${fileId}`)).status, 410, fileId);
}
