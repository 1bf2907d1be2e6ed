import type { Progress } from './progress.ts';

/** One way to come by something. Throws where this way does not lead there. */
export interface Rung<T> {
  name: string;
  /** A look that costs nothing is not worth a line of its own. */
  quiet?: boolean;
  climb(): Promise<T>;
}

/** Nothing on the ladder worked; the message lists every rung with its reason. */
export class LadderError extends Error {
  override readonly name = 'LadderError';
}

/**
 * The first rung that holds.
 * @throws LadderError listing everything that was tried
 */
export async function climbLadder<T>(
  what: string,
  rungs: readonly Rung<T>[],
  progress: Progress,
  logFolder: string,
): Promise<T> {
  const tried: string[] = [];
  for (const rung of rungs) {
    const end = rung.quiet ? undefined : progress.begin(`${what}: ${rung.name}`);
    try {
      const found = await rung.climb();
      end?.('done');
      return found;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      tried.push(`  - ${rung.name}: ${reason}`);
      end?.(`not this way: ${reason}`);
    }
  }
  throw new LadderError(
    `${what} could not be found or made. Tried:\n${tried.join('\n')}\nLogs: ${logFolder}`,
  );
}
