import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { exampleOf } from '../../../api/http/examples.ts';
import { describeApi } from '../../contract/described-api.ts';
import type { ClientOptions, ReportLine, StorageRoutingError } from '../../../sdk/src/index.ts';
import { type Answer, breakOff, errorOf, inTurn, json, refusal, serve } from './servers.ts';

const route = describeApi().find(
  ({ path }) => path === '/v1/scanner/migration/{migrationId}/report',
);
assert.ok(route);
const example = exampleOf(route).replies[200];
assert.ok(typeof example === 'string');
const lines = example.trimEnd().split('\n');
const [line, SUMMARY] = lines.map((text) => JSON.parse(text) as ReportLine);
const OBJECT = { ...line, key: 'logs/夏の海 🌊.gz', targetKey: 'acme/logs/夏の海 🌊.gz' };
const FAILED = { ...OBJECT, sha256: null, outcome: 'failed', code: 'needs_restore' };
const LINES = [OBJECT, FAILED, SUMMARY];
const WHOLE = Buffer.from(LINES.map((line) => `${JSON.stringify(line)}\n`).join(''));

const begin = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });

/** Answers with these pieces, each as a packet of its own, then ends, breaks off, or says no more. */
function inPieces(pieces: readonly Uint8Array[], end: 'end' | 'destroy' | 'stay' = 'end'): Answer {
  return (_request, response) => {
    void (async () => {
      begin(response);
      for (const piece of pieces)
        await new Promise<void>((resolve) => void response.write(piece, () => resolve()));
      if (end !== 'stay') response[end]();
    })();
  };
}

/** The lines of a report that is answered so, and the error that ends it. */
async function read(answer: Answer, options: Partial<ClientOptions> = {}) {
  const lines: ReportLine[] = [];
  const { client, server } = await serve(answer, options);
  const reading = async () => {
    for await (const line of client.migrations.report('m')) lines.push(line);
  };
  const error = await reading().catch((reason: StorageRoutingError) => reason);
  return { lines, error: error ?? undefined, server };
}

describe("a migration's report", () => {
  it('yields each line parsed for any split of the body, also within a character', async () => {
    for (const size of [1, 2, 3, 7, 64]) {
      const pieces = Array.from({ length: Math.ceil(WHOLE.length / size) }, (_, at) =>
        WHOLE.subarray(at * size, (at + 1) * size),
      );
      const { lines, error, server } = await read(inPieces(pieces));
      assert.deepEqual([lines, error], [LINES, undefined]);
      assert.equal(server.arrived[0]?.headers.accept, 'application/x-ndjson');
    }
    const empty = await read(inPieces([]));
    assert.deepEqual([empty.lines, empty.error], [[], undefined]);
  });

  it('yields a line on arrival, and keeps every character of a key', async () => {
    let goOn = (): void => undefined;
    const odd = { ...OBJECT, key: 'a\nb\r\nc\u2028d"\\ \uFEFF' };
    const { client } = await serve((_request, response) => {
      goOn = () => response.end(`${JSON.stringify(SUMMARY)}\n`);
      begin(response).write(`${JSON.stringify(odd)}\n`);
    });
    const lines = client.migrations.report('m')[Symbol.asyncIterator]();
    assert.deepEqual((await lines.next()).value, odd);
    goOn();
    assert.deepEqual((await lines.next()).value, SUMMARY);
    assert.equal((await lines.next()).done, true);
  });

  it('is read with backpressure at any length', async () => {
    const page = Buffer.from(`${JSON.stringify(OBJECT)}\n`.repeat(1_000));
    const size = page.length / 1_000;
    let written = 0;
    const { client } = await serve((_request, response) => {
      void (async () => {
        begin(response);
        for (; written < 200; written += 1) {
          if (!response.write(page)) await once(response, 'drain');
        }
        response.end();
      })();
    });
    let count = 0;
    let mostAhead = 0;
    for await (const line of client.migrations.report('m')) {
      if ('key' in line) count += 1;
      mostAhead = Math.max(mostAhead, written * page.length - count * size);
    }
    assert.equal(count, 200_000);
    // What the system's own buffers of a connection hold at most.
    assert.ok(mostAhead < 20e6, `${mostAhead} of ${200 * page.length} bytes waited somewhere`);
  });

  it('ends with an error wherever the body breaks off', async () => {
    const end = WHOLE.indexOf('\n') + 1;
    const character = WHOLE.indexOf(Buffer.from('🌊')) + 2;
    for (const cut of [end, end + 20, character]) {
      for (const how of ['end', 'destroy'] as const) {
        if (how === 'end' && cut === end) continue;
        const { error, lines, server } = await read(inPieces([WHOLE.subarray(0, cut)], how));
        assert.equal(error?.code, 'connection_lost', `${how} at ${cut}`);
        assert.deepEqual(lines, cut >= end ? [OBJECT] : []);
        assert.equal(server.arrived.length, 1, 'yielded lines are not requested again');
      }
    }
  });

  it('is requested again before its first byte', async () => {
    const answer = inTurn(breakOff, refusal(503, 'unavailable'), inPieces([WHOLE]));
    const { lines, server } = await read(answer);
    assert.deepEqual(lines, LINES);
    assert.equal(server.arrived.length, 3);
  });

  it('rejects a body that is no report', async () => {
    const lines = ['<html>\n', '[1]\n', 'null\n', '\n', '\xff\xfe\n'];
    for (const answer of [
      json(200, { looks: 'like JSON' }),
      ...lines.map((line) => inPieces([Buffer.from(line, 'latin1')])),
      inPieces([Buffer.alloc(3 << 20, 'x')], 'stay'),
    ]) {
      const { error } = await read(answer);
      assert.deepEqual([error?.code, error?.cause], ['invalid_response', undefined]);
    }
  });

  it('ends with timeout after a stall', async () => {
    const stuck = inPieces([WHOLE.subarray(0, WHOLE.indexOf('\n') + 1)], 'stay');
    const { error, lines } = await read(stuck, { stallTimeoutMs: 1_000 });
    assert.deepEqual([error?.code, lines], ['timeout', [OBJECT]]);
  });

  it('ends with the signal: before the request, while waiting, and between two lines', async () => {
    const controller = new AbortController();
    const { client, server } = await serve(inPieces([WHOLE], 'stay'));
    const read = (signal: AbortSignal) =>
      client.migrations.report('m', { signal })[Symbol.asyncIterator]();
    assert.equal((await errorOf(read(AbortSignal.abort()).next())).code, 'aborted');
    assert.equal(server.arrived.length, 0);
    const reading = read(controller.signal);
    assert.deepEqual((await reading.next()).value, OBJECT);
    controller.abort();
    assert.equal((await errorOf(reading.next())).code, 'aborted');
  });

  it('closes the connection when the loop ends', async () => {
    let closed: Promise<unknown> | undefined;
    const { client } = await serve((request, response) => {
      closed = once(response, 'close');
      inPieces([WHOLE], 'stay')(request, response);
    });
    for await (const line of client.migrations.report('m')) {
      assert.deepEqual(line, OBJECT);
      break;
    }
    await closed;
  });
});
