import { buildClient, type StorageRoutingClient } from './client.ts';
import type { ClientOptions } from './http/settings.ts';
import { nodePlatform } from './platform/node.ts';
import { createPut, type Put } from './upload/put-file.ts';

export * from './exports.ts';

export const put: Put = /* @__PURE__ */ createPut(nodePlatform);

/**
 * Creates a client. It sends nothing until a method is called, and needs no closing.
 *
 * @throws StorageRoutingError `invalid_argument` for invalid options.
 */
export function createClient(options: ClientOptions): StorageRoutingClient {
  return buildClient(options, nodePlatform);
}
