import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { isMongoOutage, openMongo, type Mongo } from '../../../adapters/mongo/common/open.ts';
import { takeFreePort } from '../../../dev/system/ports.ts';
import { eventually } from '../../harness/customer.ts';
import { localServers } from '../../servers.ts';

describe('the connection to the database', () => {
  let mongo: Mongo | undefined;
  let gate: Server | undefined;
  afterEach(async () => {
    await mongo?.close();
    gate?.close();
  });

  it('comes about once the database is there, also where calls have failed before', async () => {
    const { mongodbUri } = await localServers();
    const port = await takeFreePort();
    const [uri, far] = [new URL(mongodbUri), new URL(mongodbUri)];
    uri.host = `127.0.0.1:${port}`;
    const opened = openMongo({ uri: uri.href, database: 'first-connection' });
    mongo = opened;
    for (let attempt = 1; attempt <= 2; attempt += 1)
      await assert.rejects(opened.ping(), (error) => isMongoOutage(error));
    gate = createServer((near) => {
      const further = connect(Number(far.port), far.hostname);
      near.pipe(further).pipe(near);
      for (const socket of [near, further]) socket.on('error', () => socket.destroy());
    });
    await once(gate.listen(port, '127.0.0.1'), 'listening');
    const isThere = () =>
      opened.ping().then(
        () => true,
        () => false,
      );
    await eventually('the database answers', isThere);
  });

  it('comes back where the driver waits for a check that does not end', async () => {
    const { mongodbUri } = await localServers();
    const uri = new URL(mongodbUri);
    uri.searchParams.set('heartbeatFrequencyMS', '500');
    const opened = openMongo({ uri: uri.href, database: 'stuck-check' });
    mongo = opened;
    await opened.ping();
    await eventually('the driver checks the server', async () => monitorOf(opened) !== undefined);
    const monitor = monitorOf(opened);
    // The socket is gone when the check begins, and its event comes later.
    opened.db.client.once('serverHeartbeatStarted', () => monitor?.connection?.socket.destroy());
    await eventually('another monitor checks it', async () => {
      const present = monitorOf(opened);
      return present !== undefined && present !== monitor;
    });
    await opened.db.command({ ping: 1 });
  });

  it('ends at once while it waits for a database', async () => {
    const opened = openMongo({ uri: 'mongodb://127.0.0.1:9', database: 'first-connection' });
    await opened.close();
    await assert.rejects(opened.ping(), (error) => isMongoOutage(error));
  });
});

/** A part of the driver that no caller sees. */
interface Monitor {
  readonly connection: { readonly socket: Socket } | null;
}

function monitorOf({ db }: Mongo): Monitor | undefined {
  const { topology } = db.client as unknown as {
    readonly topology?: { readonly s: { readonly servers: Map<string, { monitor: Monitor }> } };
  };
  const [server] = topology?.s.servers.values() ?? [];
  return server?.monitor.connection ? server.monitor : undefined;
}
