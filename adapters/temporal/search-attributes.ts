import { grpcCodeOf } from './open.ts';

const GRPC_INVALID_ARGUMENT = 3;
/** How long a refusal is believed before the attributes are tried again. */
const TRY_AGAIN_MS = 60_000;

/** Starts workflows with search attributes where the server knows them, else without. */
export interface SearchAttributeUse {
  use<T>(start: (withAttributes: boolean) => Promise<T>): Promise<T>;
}

/**
 * A start that names an unregistered attribute is refused as a whole. The refusal costs one more
 * start; after that the attributes are left out for a minute.
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
