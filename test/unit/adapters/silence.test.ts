import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { watchSilence } from '../../../adapters/object-store/silence.ts';

/** A server that reads, or says something, once it is told to, also while this thread stands still; it counts the bytes. */
const READER = `
  const { createServer } = require('node:net');
  const { parentPort, workerData: taken } = require('node:worker_threads');
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('data', (chunk) => Atomics.add(taken, 0, chunk.length));
    parentPort.once('message', (what) => {
      if (what === 'read') socket.resume();
      else socket.write('x', () => Atomics.add(taken, 1, 1));
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;
const PIECE = Buffer.alloc(64 * 1024);

describe('the silence of a socket', () => {
  let reader: Worker;
  let port: number;
  let socket: Socket;
  let taken: Int32Array;
  beforeEach(async () => {
    taken = new Int32Array(new SharedArrayBuffer(8));
    reader = new Worker(READER, { eval: true, workerData: taken });
    [port] = (await once(reader, 'message')) as [number];
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
    reader.postMessage('read', []);
    while (Atomics.load(taken, 0) < sent);
  }

  /** How often it is noticed for one time-out. */
  async function countSilence(of = socket): Promise<number> {
    let noticed = 0;
    const stop = watchSilence(of, () => (noticed += 1));
    of.emit('timeout');
    await nextTurn();
    await nextTurn();
    stop();
    of.emit('timeout');
    await nextTurn();
    return noticed;
  }

  it('is noticed where the other side takes nothing', async () => {
    await fill();
    assert.equal(await countSilence(), 1);
  });

  it('is none where the connection is made by then, or something has arrived', async () => {
    // From a phase of the loop behind which the timers are next.
    await nextTurn();
    const other = connect(port, '127.0.0.1');
    await new Promise(process.nextTick);
    assert.equal(other.connecting, true);
    assert.equal(await countSilence(other), 0);
    other.destroy();
    reader.postMessage('say', []);
    while (Atomics.load(taken, 1) === 0);
    assert.equal(await countSilence(), 0);
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
