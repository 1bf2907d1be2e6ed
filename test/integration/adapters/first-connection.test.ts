import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { isMongoOutage, openMongo, type Mongo } from '../../../adapters/mongo/open.ts';
import { takeFreePort } from '../../../dev/system/ports.ts';
import { eventually } from '../../harness/customer.ts';
import { localServers } from '../../servers.ts';

describe('a process that starts before its database', () => {
  let mongo: Mongo | undefined;
  let gate: Server | undefined;
  afterEach(async () => {
    await mongo?.close();
    gate?.close();
  });

  it('reaches it once it is there, also where calls have failed before', async () => {
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

  it('ends at once while it waits for it', async () => {
    const opened = openMongo({ uri: 'mongodb://127.0.0.1:9', database: 'first-connection' });
    await opened.close();
    await assert.rejects(opened.ping(), (error) => isMongoOutage(error));
  });
});
