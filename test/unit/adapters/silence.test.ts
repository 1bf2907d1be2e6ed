import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { watchSilence } from '../../../adapters/object-store/silence.ts';

/** A server that reads once it is told to, also while this thread stands still, and counts the bytes. */
const READER = `
  const { createServer } = require('node:net');
  const { parentPort, workerData: taken } = require('node:worker_threads');
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('data', (chunk) => Atomics.add(taken, 0, chunk.length));
    parentPort.once('message', () => socket.resume());
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;
const PIECE = Buffer.alloc(64 * 1024);

describe('the silence of a socket that sends', () => {
  let reader: Worker;
  let socket: Socket;
  let taken: Int32Array;
  beforeEach(async () => {
    taken = new Int32Array(new SharedArrayBuffer(4));
    reader = new Worker(READER, { eval: true, workerData: taken });
    const [port] = (await once(reader, 'message')) as [number];
    socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
  });
  afterEach(async () => {
    socket.destroy();
    await reader.terminate();
  });

  /** Returns in the phase of the loop behind which timers are next, with one piece that the kernel does not take. */
  async function fill(onSent = (): void => {}): Promise<void> {
    do {
      socket.write(PIECE, onSent);
      await nextTurn();
    } while (socket.writableLength === 0);
  }

  /** The other side takes everything that the kernel has, and this thread does not see it. */
  function standStill(): void {
    const sent = socket.bytesWritten - socket.writableLength;
    reader.postMessage('read');
    while (Atomics.load(taken, 0) < sent);
  }

  /** How often it is noticed for one time-out. */
  async function countSilence(): Promise<number> {
    let noticed = 0;
    const stop = watchSilence(socket, () => (noticed += 1));
    socket.emit('timeout');
    await nextTurn();
    await nextTurn();
    stop();
    socket.emit('timeout');
    await nextTurn();
    return noticed;
  }

  it('is noticed where the other side takes nothing', async () => {
    await fill();
    assert.equal(await countSilence(), 1);
  });

  it('is none where the last piece was taken while the process stood still', async () => {
    await fill();
    standStill();
    assert.equal(await countSilence(), 0);
  });

  it('is none where another piece of the same length waits by then', async () => {
    let hasStood = false;
    await fill(() => {
      if (!hasStood) return;
      socket.cork();
      socket.write(PIECE);
    });
    const before = socket.writableLength;
    standStill();
    hasStood = true;
    assert.equal(await countSilence(), 0);
    assert.equal(socket.writableLength, before);
  });
});
