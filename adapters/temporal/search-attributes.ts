import { SearchAttributeType } from '@temporalio/common';
import type { Client } from '@temporalio/client';
import { grpcCode } from './open.ts';
import { SEARCH_ATTRIBUTES } from '../../messages/names.ts';

const GRPC_INVALID_ARGUMENT = 3;
/** Attributes are tried again this long after a refusal. */
const TRY_AGAIN_MS = 60_000;

/** Starts workflows with search attributes if they are registered, otherwise without. */
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
        if (grpcCode(error) !== GRPC_INVALID_ARGUMENT) throw error;
        const started = await start(false);
        refusedAt = monotonicMs();
        return started;
      }
    },
  };
}

/** `temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD` */
export const INDEXED_AS_KEYWORD = 2;

/**
 * Registers missing search attributes. A worker without that permission works without them.
 *
 * @returns the added names.
 */
export async function registerSearchAttributes({ connection, options }: Client): Promise<string[]> {
  const { namespace } = options;
  const { operatorService } = connection as unknown as OperatorConnection;
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(SEARCH_ATTRIBUTES).filter(
    ({ name, type }) =>
      type === SearchAttributeType.KEYWORD && !(customAttributes && name in customAttributes),
  );
  if (missing.length > 0) {
    const searchAttributes = Object.fromEntries(
      missing.map(({ name }) => [name, INDEXED_AS_KEYWORD]),
    );
    await operatorService.addSearchAttributes({ namespace, searchAttributes });
  }
  return missing.map(({ name }) => name);
}

interface OperatorConnection {
  readonly operatorService: {
    listSearchAttributes(
      request: object,
    ): Promise<{ customAttributes?: Record<string, unknown> | null }>;
    addSearchAttributes(request: object): Promise<unknown>;
  };
}
