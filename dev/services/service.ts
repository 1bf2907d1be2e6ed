import type { Cache } from '../cache.ts';
import type { Rung } from '../ladder.ts';
import { climbLadder } from '../ladder.ts';
import type { Progress } from '../progress.ts';
import { join } from 'node:path';

/** What looking for programs needs. */
export interface Workshop {
  cache: Cache;
  progress: Progress;
}

/** How a found program is called. `kind` tells alternatives of one service apart. */
export interface Program {
  kind: string;
  command: string;
  args: readonly string[];
}

/** One row of the table of services. */
export interface Service {
  name: string;
  version: string;
  /** The variables that give an address of one that runs already; such a service is neither looked for nor started. */
  addresses: readonly string[];
  /** From the cheapest to the dearest way to come by its program. */
  rungs(workshop: Workshop): readonly Rung<Program>[];
}

/** @throws LadderError listing everything that was tried */
export async function findProgram(service: Service, workshop: Workshop): Promise<Program> {
  const logs = join(workshop.cache.folder, 'logs');
  return await climbLadder(service.name, service.rungs(workshop), workshop.progress, logs);
}

export function native(path: string): Program {
  return { kind: 'native', command: path, args: [] };
}
