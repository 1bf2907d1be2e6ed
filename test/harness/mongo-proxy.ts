import { connect, createServer, type Socket } from 'node:net';
import { listening } from './listening.ts';

/** A write of the service. */
export interface Write {
  /** `update`: also one that returns the document. */
  readonly command: 'insert' | 'update';
  readonly collection: string;
  /** Which write of this kind, from 1 on; 1 by default. */
  readonly nth?: number;
  /** Only writes that contain this text count. */
  readonly about?: string | undefined;
  /** Before the database gets it, or when it is carried out and the client does not know. */
  readonly when: 'before' | 'after';
}

/** A TCP proxy between a process and its database that a test can stop at given writes. */
export type MongoProxy = Awaited<ReturnType<typeof openMongoProxy>>;

interface Trap extends Write {
  readonly markers: readonly Buffer[];
  seen: number;
  isSprung: boolean;
  readonly caught: () => void;
}

interface Held {
  readonly markers: readonly Buffer[];
  readonly about: string;
  readonly caught: () => void;
  readonly waiting: (() => void)[];
}

export async function openMongoProxy(mongodbUri: string) {
  const { hostname, port: farPort } = new URL(mongodbUri);
  const sockets = new Set<Socket>();
  let delayMs = 0;
  let requests = 0;
  let swallowed: Buffer | undefined;
  let late: { readonly marker: Buffer; readonly ms: number } | undefined;
  const traps = new Set<Trap>();
  const held = new Set<Held>();

  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const spring = (trap: Trap) => {
    trap.isSprung = true;
    trap.caught();
  };
  /** Whether what this is about has stopped. */
  const hasStopped = (request: Buffer) =>
    [...traps].some(({ isSprung, about = '' }) => isSprung && request.includes(about));
  /** The trap that this request is the awaited write of. */
  const trapFor = (request: Buffer): Trap | undefined =>
    [...traps].find((trap) => {
      if (trap.isSprung || !isCaught(trap, request)) return false;
      trap.seen += 1;
      return trap.seen === (trap.nth ?? 1);
    });
  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(farPort) });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    let isCheck = false;
    let isLate = false;
    /** The latest request; the driver sends the next one after its answer. */
    let request = Buffer.alloc(0);
    /** The trap of a write whose answer is awaited. */
    let trap: Trap | undefined;
    let isFrozen = false;
    const mayPass = () => {
      isFrozen ||= hasStopped(request);
      return !isFrozen;
    };
    near.on('data', (chunk) => {
      isCheck = isDriverCheck(chunk);
      if (!isCheck) requests += 1;
      if (swallowed && chunk.includes(swallowed)) return;
      const holding = [...held].find((each) => isCaught(each, chunk));
      if (holding) {
        holding.waiting.push(() => far.write(chunk));
        holding.caught();
        return;
      }
      isLate = late !== undefined && chunk.includes(late.marker);
      request = chunk;
      if (!mayPass()) return;
      trap ??= trapFor(chunk);
      if (trap?.when === 'before') spring(trap);
      if (mayPass()) far.write(chunk);
    });
    far.on('data', (chunk) => {
      if (trap) spring(trap);
      if (!mayPass()) return;
      const waitMs = isLate ? (late?.ms ?? 0) : isCheck ? 0 : delayMs;
      if (waitMs === 0) near.write(chunk);
      else setTimeout(() => near.write(chunk), waitMs);
    });
  });
  const port = await listening(server);

  return {
    /** The database's address through the proxy. */
    uri: mongodbUri.replace(`:${farPort}`, `:${port}`),
    /**
     * From this write on nothing passes that is about the same, in either direction; nothing at all where it is about
     * any. Settles when that has happened.
     */
    stopAt: async (write: Write) =>
      await new Promise<void>((caught) => {
        const markers = beginningsOf(write.command, write.collection);
        traps.add({ ...write, markers, seen: 0, isSprung: false, caught });
      }),
    /** Commands of this kind on this collection are never answered. */
    swallow(command: string, collection: string) {
      swallowed = beginningOf(command, collection);
    },
    /** Commands of this kind on this collection that contain this text wait until they are released. */
    hold(command: string, collection: string, about: string) {
      let caught = () => {};
      const reached = new Promise<void>((resolve) => (caught = resolve));
      const one: Held = { markers: beginningsOf(command, collection), about, caught, waiting: [] };
      held.add(one);
      return {
        /** Settles when the first one waits. */
        reached,
        release() {
          held.delete(one);
          for (const pass of one.waiting) pass();
        },
      };
    },
    /** Answers to commands of this kind on this collection arrive this much later. */
    delay(command: string, collection: string, ms: number) {
      late = { marker: beginningOf(command, collection), ms };
    },
    /** Answers to the service's operations arrive this much later; those to the driver's own checks do not. */
    slowDown(ms: number) {
      delayMs = ms;
    },
    /** The requests so far, without the driver's own checks. */
    requests: () => requests,
    /** Lets everything pass again, on new connections. */
    mend() {
      delayMs = 0;
      traps.clear();
      endAll();
    },
    async close() {
      endAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function isCaught(
  { markers, about = '' }: Pick<Trap, 'markers' | 'about'>,
  chunk: Buffer,
): boolean {
  return markers.some((marker) => chunk.includes(marker)) && chunk.includes(about);
}

/** How the commands of a kind begin. */
function beginningsOf(command: string, collection: string): Buffer[] {
  const commands = command === 'update' ? ['update', 'findAndModify'] : [command];
  return commands.map((each) => beginningOf(each, collection));
}

/** The handshake of a connection, and what the driver's monitor asks. */
function isDriverCheck(chunk: Buffer): boolean {
  return ['hello', 'ismaster', 'isMaster'].some((command) => chunk.includes(`\x10${command}\0`));
}

/** How a command begins in BSON: a field of its name, a string with its length. */
function beginningOf(command: string, collection: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32LE(collection.length + 1);
  return Buffer.concat([Buffer.from(`\x02${command}\0`), length, Buffer.from(`${collection}\0`)]);
}
