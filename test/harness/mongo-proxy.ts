import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy between a worker and its database that a test can cut at a given write. */
export interface MongoProxy {
  /** The database's address through the proxy. */
  uri: string;
  /**
   * Swallows the next insert into the collection, and from then on everything that would go to the
   * database. Settles when that has happened.
   */
  swallowInsertInto(collection: string): Promise<void>;
  /** The same at the next update of the collection. */
  swallowUpdateOf(collection: string): Promise<void>;
  /** The same at an insert, but connections are cut and refused, so that the client notices. */
  cutAtInsertInto(collection: string): Promise<void>;
  mend(): void;
  close(): Promise<void>;
}

type Manner = 'open' | 'swallow' | 'cut';

export async function openMongoProxy(mongodbUri: string): Promise<MongoProxy> {
  const { hostname, port } = new URL(mongodbUri);
  const sockets = new Set<Socket>();
  let manner: Manner = 'open';
  let trap: { marker: Buffer; manner: Manner; caught: () => void } | undefined;

  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const letPass = (chunk: Buffer): boolean => {
    if (manner === 'open' && trap && chunk.includes(trap.marker)) {
      ({ manner } = trap);
      trap.caught();
      trap = undefined;
      if (manner === 'cut') endAll();
    }
    return manner === 'open';
  };
  const server = createServer((near) => {
    if (manner === 'cut') {
      near.destroy();
      return;
    }
    const far = connect({ host: hostname, port: Number(port) });
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
    near.on('data', (chunk) => void (letPass(chunk) && far.write(chunk)));
    far.on('data', (chunk) => void (manner === 'open' && near.write(chunk)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const setTrap = async (command: 'insert' | 'update', collection: string, then: Manner) =>
    await new Promise<void>((caught) => {
      trap = { marker: beginningOf(command, collection), manner: then, caught };
    });
  return {
    uri: mongodbUri.replace(`:${port}`, `:${(server.address() as AddressInfo).port}`),
    swallowInsertInto: async (collection) => await setTrap('insert', collection, 'swallow'),
    swallowUpdateOf: async (collection) => await setTrap('update', collection, 'swallow'),
    cutAtInsertInto: async (collection) => await setTrap('insert', collection, 'cut'),
    mend() {
      manner = 'open';
      trap = undefined;
      endAll();
    },
    async close() {
      endAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** How a command begins in BSON: a field of its name, a string with its length. */
function beginningOf(command: string, collection: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32LE(collection.length + 1);
  return Buffer.concat([Buffer.from(`\x02${command}\0`), length, Buffer.from(`${collection}\0`)]);
}
