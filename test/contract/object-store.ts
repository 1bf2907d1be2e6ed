import { randomUUID } from 'node:crypto';
import { createStoreHttp } from '../../adapters/object-store/http-client.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { createObjectStores } from '../../adapters/object-store/s3-store.ts';
import { createStoreClocks } from '../../adapters/object-store/store-clocks.ts';
import { multipartUploadContract } from './multipart-uploads.ts';
import { preflightContract } from './preflights.ts';
import { presignedPartContract } from './presigned-parts.ts';
import { presignedUploadContract } from './presigned-uploads.ts';
import { storeFailureContract } from './store-failures.ts';
import type { Detour, StoreUnderTest } from './store-under-test.ts';
import { storedObjectContract } from './stored-objects.ts';
import { endpointsAt } from '../harness/catalogue.ts';

/** Tests the contract of `ObjectStore` against a real server. */
export function objectStoreContract(name: string, start: () => Promise<StoreUnderTest>): void {
  describe(`an object store: ${name}`, () => {
    const http = createStoreHttp();
    let given: StoreUnderTest;
    let store: ObjectStore;
    before(async () => {
      given = await start();
      store = open({});
    });
    after(async () => {
      http.close();
      await given.close?.();
    });

    const open = ({
      origin = given.origin,
      location,
      credentials,
      idleMs = 5_000,
    }: Detour): ObjectStore =>
      createObjectStores({
        http,
        findEndpoint: endpointsAt({ [given.location.provider]: origin }),
        clocks: createStoreClocks(),
        idleMs,
      })({ ...given.location, ...location }, { ...given.credentials, ...credentials });
    const fixture = () => ({
      given,
      store,
      open,
      freshKey: () => `contract/${randomUUID()}/object`,
    });

    storedObjectContract(fixture);
    multipartUploadContract(fixture);
    presignedUploadContract(fixture);
    presignedPartContract(fixture);
    preflightContract(fixture);
    storeFailureContract(fixture);
  });
}
