import type { Cache } from '../system/cache.ts';
import type { Resolver } from '../system/resolvers.ts';
import { firstAvailable } from '../system/resolvers.ts';
import type { Progress } from '../system/progress.ts';
import { join } from 'node:path';

/** The inputs of program resolvers. */
export interface ResolverContext {
  cache: Cache;
  progress: Progress;
}

/** The command line of a program. `kind` distinguishes alternatives of one service. */
export interface Program {
  kind: string;
  command: string;
  args: readonly string[];
}

/** A local server program. */
export interface Service {
  name: string;
  version: string;
  /** The variables that name a running server; with them the program is neither resolved nor started. */
  addresses: readonly string[];
  /** The ways to obtain its program, cheapest first. */
  resolvers(resolverContext: ResolverContext): readonly Resolver<Program>[];
}

/** @throws NotAvailableError if no resolver succeeds */
export async function findProgram(
  service: Service,
  resolverContext: ResolverContext,
): Promise<Program> {
  const logs = join(resolverContext.cache.folder, 'logs');
  return await firstAvailable(
    service.name,
    service.resolvers(resolverContext),
    resolverContext.progress,
    logs,
  );
}

export function native(path: string): Program {
  return { kind: 'native', command: path, args: [] };
}
