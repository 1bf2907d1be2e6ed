import { buildClient, type StorageRoutingClient } from './client.ts';
import type { ClientOptions } from './http/settings.ts';
import { browserPlatform } from './platform/browser.ts';
import { findXhrPut } from './platform/xhr.ts';
import { createPut, type Put } from './upload/put-file.ts';

export * from './exports.ts';

export const put: Put = /* @__PURE__ */ createPut({ wholePut: findXhrPut });

/**
 * Creates a client for a page: the same as elsewhere, without the modules of Node.
 *
 * @throws StorageRoutingError `invalid_argument` for invalid options.
 */
export function createClient(options: ClientOptions): StorageRoutingClient {
  return buildClient(options, browserPlatform);
}
