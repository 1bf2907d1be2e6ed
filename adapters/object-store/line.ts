import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** A connection to a store, and the request that is under way on it. */
export interface Line {
  /** Who is told when the connection was idle for longer than it might be. */
  onIdle: (() => void) | null;
  /** From now on the other side must take or send a byte within that time. */
  expect(idleMs: number): void;
  /** Nothing is expected of the other side: it is our turn. */
  rest(): void;
  /**
   * Breaks the connection off, so that a store cannot take the end of it for the end of an object:
   * versitygw keeps what it has then. Over TLS an end without a farewell says as much.
   */
  reset(): void;
}

/** How long an answer may take to arrive behind a connection that takes no more bytes. */
const LAST_WORD_MS = 500;

const lines = new WeakMap<Socket, Line>();

/** The line of a socket, the same for all requests that it carries. */
export function lineOf(socket: Socket): Line {
  const known = lines.get(socket);
  if (known) return known;
  const line: Line = {
    onIdle: null,
    expect: (idleMs) => void socket.setTimeout(idleMs),
    rest: () => void socket.setTimeout(0),
    reset: () => {
      if (!(socket instanceof TLSSocket)) socket.resetAndDestroy();
    },
  };
  // Node's own idle timer knows of a long write whether its bytes still move.
  socket.on('timeout', () => line.onIdle?.());
  // A failure that was held back may come when the request has ended, and node no longer listens.
  socket.on('error', () => {});
  waitForLastWord(socket);
  lines.set(socket, line);
  return line;
}

/**
 * A store that refuses a PUT by its headers answers and hangs up, while the body is still being sent.
 * The write then fails, and node would throw the connection away with the answer unread in it: the
 * failure is held back until the answer was read, or for a moment.
 */
function waitForLastWord(socket: Socket): void {
  const write = socket._write.bind(socket);
  const writeMany = socket._writev?.bind(socket);
  socket._write = (chunk, encoding, done) => write(chunk, encoding, patient(socket, done));
  if (writeMany) socket._writev = (chunks, done) => writeMany(chunks, patient(socket, done));
}

type Done = (error?: Error | null) => void;

function patient(socket: Socket, done: Done): Done {
  return (error) => {
    if (!error || socket.destroyed) return done(error);
    const timer = setTimeout(finish, LAST_WORD_MS);
    socket.once('close', finish);
    function finish(): void {
      clearTimeout(timer);
      socket.off('close', finish);
      done(error);
    }
  };
}
