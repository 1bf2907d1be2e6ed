import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { takeFreePort } from '../system/ports.ts';
import { mongoProcess } from '../services/mongodb.ts';
import { findProgram } from '../services/service.ts';
import { temporalProcess } from '../services/temporal.ts';
import { services } from '../services/services.ts';
import { givenPart, pickGiven, processPart, type Part, type PartContext } from './part.ts';

export async function openMongo(context: PartContext): Promise<Part> {
  const { given, processes, resolverContext, persistent } = context;
  const names = {
    MONGODB_DATABASE: 'storage_routing',
    ...pickGiven(given, ['MONGODB_URI', 'MONGODB_DATABASE']),
  };
  if (given['MONGODB_URI']) return givenPart(names);
  const [program, port] = await Promise.all([
    findProgram(services.mongodb, resolverContext),
    takeFreePort(),
  ]);
  const dataFolder = join(processes.dataFolder, 'mongodb');
  await mkdir(dataFolder);
  const handle = processes.spawn(mongoProcess(program, { port, dataFolder, persistent }));
  // A direct connection works without a replica set and through fault proxies.
  return processPart(
    { ...names, MONGODB_URI: `mongodb://127.0.0.1:${port}/?directConnection=true` },
    handle,
  );
}

export async function openTemporal(context: PartContext): Promise<Part> {
  const { given, processes, resolverContext, namespaces, eventsPerRun } = context;
  const namespace = { TEMPORAL_NAMESPACE: given['TEMPORAL_NAMESPACE'] || 'default' };
  if (given['TEMPORAL_ADDRESS']) {
    return givenPart({
      ...namespace,
      ...pickGiven(given, ['TEMPORAL_ADDRESS', 'TEMPORAL_UI_URL']),
    });
  }
  const program = await findProgram(services.temporal, resolverContext);
  const [port, uiPort] = await Promise.all([takeFreePort(), takeFreePort()]);
  const file = join(processes.dataFolder, 'temporal.db');
  const runs = eventsPerRun === undefined ? {} : { eventsPerRun };
  const options = { port, uiPort, namespaces, file, ...runs };
  const handle = processes.spawn(temporalProcess(program, options));
  const environment = {
    TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_UI_URL: `http://127.0.0.1:${uiPort}`,
  };
  return processPart(environment, handle);
}
