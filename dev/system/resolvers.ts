import type { Progress } from './progress.ts';

/** One way to obtain something. Throws if it is not available this way. */
export interface Resolver<T> {
  name: string;
  /** A cheap check, without progress lines. */
  quiet?: boolean;
  /** It builds something, once on a machine. */
  takesMinutes?: boolean;
  /** @param report replaces the outcome that is printed */
  resolve(report: (outcome: string) => void): Promise<T>;
}

/** All resolvers failed; the message lists each one with its reason. */
class NotAvailableError extends Error {
  override readonly name = 'NotAvailableError';
}

/**
 * The result of the first resolver that succeeds.
 * @throws NotAvailableError if all of them fail
 */
export async function firstAvailable<T>(
  what: string,
  resolvers: readonly Resolver<T>[],
  progress: Progress,
  logFolder: string,
): Promise<T> {
  const tried: string[] = [];
  for (const resolver of resolvers) {
    const patience = resolver.takesMinutes ? ', which takes minutes, once on this machine' : '';
    const end = resolver.quiet ? undefined : progress.begin(`${what}: ${resolver.name}`, patience);
    let outcome = 'done';
    try {
      const found = await resolver.resolve((text) => (outcome = text));
      end?.(outcome);
      return found;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      tried.push(`  - ${resolver.name}: ${reason}`);
      end?.(`failed: ${reason}`);
    }
  }
  throw new NotAvailableError(
    `${what} is not available. Tried:\n${tried.join('\n')}\nLogs: ${logFolder}`,
  );
}
