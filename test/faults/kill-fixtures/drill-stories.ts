import assert from 'node:assert/strict';
import { createClient } from '../../../sdk/src/index.ts';
import { createCustomer, eventually, type Customer } from '../../harness/customer.ts';
import {
  drillFrom,
  drillsOf,
  sha256,
  untilDrill,
  verifiedCertificate,
} from '../../harness/drill.ts';
import { createMigrationCustomer, objectsOf } from '../../harness/migration-customer.ts';
import { openOwnPlace, savePlace, type OwnPlace } from '../../harness/own-place.ts';
import type { Scene, Stage, Story } from './story.ts';

/** The files of a customer at a former place of its store, and the current place. */
interface Filled {
  readonly customer: Customer;
  readonly request: ReturnType<typeof drillFrom>;
  readonly two: OwnPlace;
  readonly hashes: readonly string[];
}

/** More than a page of a sample has. */
const SAMPLED = 260;
const OBJECTS = 300;
const GONE = 40;
const POLL_MS = 500;

/** Each ends as a drill without a kill does. */
export const DRILL_STORIES = {
  'start of a drill': placed(async (stage, filled) => {
    const { token } = filled.customer;
    const victim = createClient({ baseUrl: stage.processes.api.url, dashboardToken: token });
    return {
      about: filled.customer.accountId,
      go: () => victim.drills.start(filled.request),
      async atRest() {
        const { list } = drillsOf(filled.customer);
        const [{ drillId } = assert.fail('no drill is stored')] = (await list()).items;
        await assertTried(filled, drillId);
      },
    };
  }),
  drill: placed(async (_stage, filled) => {
    const { drillId } = await drillsOf(filled.customer).start(filled.request);
    return { about: drillId, atRest: () => assertTried(filled, drillId) };
  }),
  'drill that removes': placed(async (stage, filled) => {
    const { drillId } = await drillsOf(filled.customer).start(filled.request);
    const key = `drill/${drillId}/00002`;
    const fault = { effect: 'hang', operation: 'DeleteObject', key, times: 1 } as const;
    stage.suite.stack.cloud?.double.addFault({ ...fault, bucket: filled.two.name });
    return {
      reached: () =>
        eventually('one copy is deleted, and the other one is not', async () => {
          const isRemoving = (await drillsOf(filled.customer).get(drillId)).status === 'removing';
          return isRemoving && (await filled.two.contents()).objects.length === 1;
        }),
      atRest: () => assertTried(filled, drillId),
    };
  }),
  'drill whose source changes meanwhile': async ({ suite }) => {
    const customer = await createMigrationCustomer(suite.stack, suite.service.baseUrl);
    customer.put(objectsOf(OBJECTS, () => 10));
    const { connectionId } = await customer.scan();
    return async () => {
      const { drills } = customer.client;
      const { drillId } = await drills.start({
        from: { connectionId, bucketName: customer.source },
        to: 'b2',
        sample: { files: SAMPLED },
        maxTotalUsd: 1,
      });
      return {
        about: drillId,
        async meanwhile() {
          const names = [...(await customer.hashes(customer.source)).keys()].slice(0, GONE);
          await Promise.all(names.map((key) => customer.remove(customer.source, key)));
        },
        async atRest() {
          await drills.waitFor(drillId, { pollMs: POLL_MS });
        },
        async assertEnd() {
          const drill = await drills.get(drillId);
          assert.deepEqual([drill.status, drill.removed], ['completed', true]);
          const { equal, failed } = drill.results;
          assert.deepEqual([drill.sample.files, equal, failed], [SAMPLED, SAMPLED, 0]);
          const { objects, sample } = await verifiedCertificate(drills, drill);
          const found = new Map(objects.map((each) => [each.key, each.sha256]));
          assert.deepEqual(found, await customer.hashes(customer.source));
          assert.ok(sample.strata.every(({ files, ofFiles }) => files === ofFiles));
        },
      };
    };
  },
} as const satisfies Record<string, Story>;

function placed(begin: (stage: Stage, filled: Filled) => Promise<Scene>): Story {
  return async (stage) => {
    const { suite, places } = stage;
    const [one, two] = [openOwnPlace(suite.stack), openOwnPlace(suite.stack)];
    places.push(one, two);
    const customer = await createCustomer(suite.stack, suite.service.baseUrl, []);
    await savePlace(customer, one);
    const files = [await customer.send({ sizeBytes: 9 }), await customer.send({ sizeBytes: 10 })];
    for (const { fileId } of files) assert.equal((await customer.complete(fileId)).status, 200);
    await savePlace(customer, two);
    const hashes = files.map(({ bytes }) => sha256(bytes)).toSorted();
    return () => begin(stage, { customer, request: drillFrom(one), two, hashes });
  };
}

/** Each file was copied and read back equal, nothing is left, and the end is published once. */
async function assertTried({ customer, two, hashes }: Filled, drillId: string): Promise<void> {
  const drills = drillsOf(customer);
  const drill = await untilDrill(drills, drillId, 'completed');
  const { copied, readBack, equal, failed } = drill.results;
  assert.deepEqual([drill.removed, copied, readBack, equal, failed], [true, 2, 2, 2, 0]);
  const { objects } = await verifiedCertificate(drills, drill);
  assert.deepEqual(objects.map((each) => String(each.sha256)).toSorted(), hashes);
  assert.deepEqual(await two.contents(), { objects: [], uploads: [] });
  const { activity } = createClient({ baseUrl: customer.baseUrl, dashboardToken: customer.token });
  const ends = async () =>
    (await activity()).items.filter(({ action }) => action === 'drill.completed');
  await eventually('the end is published', async () => (await ends()).length > 0);
  assert.equal((await ends()).length, 1);
}
