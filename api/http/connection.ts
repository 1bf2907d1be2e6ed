import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client that sends more requests ahead, without reading the answers, is cut off. */
const MAX_REQUESTS_OWED = 16;

interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The requests of every connection that have no complete answer, oldest first. */
export interface Connections {
  /** Takes a request; the listener gets it once the earlier ones of its connection are answered. */
  take(request: IncomingMessage, response: ServerResponse): void;
  /** The requests of all connections that are owed an answer. */
  owed(): Iterable<ServerResponse>;
  /** Whether the answer that a connection is owed next has begun. */
  hasBegun(socket: Socket): boolean;
}

/**
 * Answers the requests of one connection in turn. HTTP allows a client to send requests before it has
 * read the answers (RFC 9112 section 9.3.2), and Node hands all of them over at once. In turn, a
 * connection holds one answer in memory and takes the processor for one request at a time.
 */
export function createConnections(listener: RequestListener): Connections {
  const waiting = new Map<Socket, Turn[]>();

  function answer(turn: Turn): void {
    turn.response.once('close', () => advance(turn.request.socket, turn));
    listener(turn.request, turn.response);
  }

  function advance(socket: Socket, ended: Turn): void {
    const turns = waiting.get(socket)?.filter((turn) => turn !== ended) ?? [];
    const [next] = turns;
    if (next === undefined || socket.destroyed) return void waiting.delete(socket);
    waiting.set(socket, turns);
    answer(next);
  }

  return {
    take(request, response) {
      const { socket } = request;
      // The rest of what was read with the request that cut the connection off.
      if (socket.destroyed) return;
      const turn = { request, response };
      const turns = waiting.get(socket);
      if (turns === undefined) {
        waiting.set(socket, [turn]);
        answer(turn);
      } else if (turns.length < MAX_REQUESTS_OWED) turns.push(turn);
      else socket.destroy();
    },
    owed: () => [...waiting.values()].flatMap((turns) => turns.map(({ response }) => response)),
    hasBegun: (socket) => waiting.get(socket)?.[0]?.response.headersSent ?? false,
  };
}
