import { grpcCodeOf } from './open.ts';

const GRPC_INVALID_ARGUMENT = 3;
/** Attributes are tried again this long after a refusal. */
const TRY_AGAIN_MS = 60_000;

/** Starts workflows with search attributes where they are registered, otherwise without. */
export interface SearchAttributeUse {
  use<T>(start: (withAttributes: boolean) => Promise<T>): Promise<T>;
}

/**
 * The server refuses a start with an unregistered attribute. That costs a second start; then the
 * attributes are left out for a minute.
 */
export function createSearchAttributeUse(monotonicMs: () => number): SearchAttributeUse {
  let refusedAt = Number.NEGATIVE_INFINITY;
  return {
    async use(start) {
      if (monotonicMs() - refusedAt < TRY_AGAIN_MS) return start(false);
      try {
        return await start(true);
      } catch (error) {
        if (grpcCodeOf(error) !== GRPC_INVALID_ARGUMENT) throw error;
        const started = await start(false);
        refusedAt = monotonicMs();
        return started;
      }
    },
  };
}
