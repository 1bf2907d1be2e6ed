import { SearchAttributeType } from '@temporalio/common';
import type { Client } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../messages/names.ts';

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
