import type { Socket } from 'node:net';

/**
 * Calls where a socket times out and does nothing in the turn of the event loop that follows. A
 * process that stood still comes to its timers before it reads and sends what waited meanwhile.
 *
 * @returns stops watching
 */
export function watchSilence(socket: Socket, onSilence: () => void): () => void {
  let isWatching = true;
  const onTimeout = (): void => {
    const progress = progressOf(socket);
    setImmediate(() => {
      if (isWatching && progressOf(socket) === progress) onSilence();
    });
  };
  socket.on('timeout', onTimeout);
  return () => {
    isWatching = false;
    socket.off('timeout', onTimeout);
  };
}

/** Differs once the socket has connected, read, sent a piece, or got another one to send. */
function progressOf({ connecting, bytesRead, bytesWritten, writableLength }: Socket): string {
  return [connecting, bytesRead, bytesWritten, writableLength].join();
}
