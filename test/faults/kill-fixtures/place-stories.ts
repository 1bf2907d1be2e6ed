import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createCustomer, eventually, type Customer } from '../../harness/customer.ts';
import { openOwnPlace, savePlace, shownPlaces, type OwnPlace } from '../../harness/own-place.ts';
import {
  assertReadable,
  relocatedFiles,
  startRelocation,
  untilRelocation,
} from '../../harness/relocation.ts';
import type { Scene, Stage, Story } from './story.ts';

/** A customer whose store is at one place, and another place for it. */
interface Placed {
  readonly customer: Customer;
  readonly one: OwnPlace;
  readonly two: OwnPlace;
}

const STORE = 'aws';

/** No story repeats a call that was killed, unless it says so. */
export const PLACE_STORIES = {
  'change of place': placed(async (stage, { customer, one, two }) => {
    const files = [await customer.send(), await customer.send()] as const;
    await complete(customer, files[0].fileId);
    return {
      about: two.name,
      go: () => customer.manage('POST /v1/providers', two.settings(), stage.processes.api.url),
      async atRest() {
        for (const { fileId } of files) {
          await complete(customer, fileId);
          assert.equal((await customer.delete(fileId)).status, 200);
        }
        await untilForgotten(stage, customer);
      },
      async assertEnd() {
        assert.deepEqual(await one.contents(), { objects: [], uploads: [] });
        const shown = (await shownPlaces(customer)).flat(2);
        assert.ok(shown.length === 1 && [one.name, two.name].includes(String(shown[0])));
        await savePlace(customer, two);
        await complete(customer, (await customer.send()).fileId);
        assert.equal((await two.contents()).objects.length, 1);
      },
    };
  }),
  'removal of a store': placed(removal),
  'removal of a store that is repeated': placed(async (stage, at) => ({
    ...(await removal(stage, at)),
    async meanwhile() {
      await remove(at.customer);
      assert.deepEqual(await keptPlaces(stage, at.customer), []);
    },
  })),
  'new keys of a former place': placed(async (stage, { customer, one, two }) => {
    const { fileId } = await customer.send();
    await complete(customer, fileId);
    await savePlace(customer, two);
    one.revokeKeys();
    one.renewKeys();
    const renewed = { ...one.settings(), place: 'former' };
    return {
      about: customer.accountId,
      go: () => customer.manage('POST /v1/providers', renewed, stage.processes.api.url),
      async atRest() {
        const { downloadUrl } = (await customer.get(fileId)).body;
        assert.equal((await fetch(String(downloadUrl))).status, 200, 'the new keys are there');
        await savePlace(customer, one, { place: 'former' });
        assert.equal((await customer.delete(fileId)).status, 200);
        await untilForgotten(stage, customer);
      },
      async assertEnd() {
        assert.deepEqual(await one.contents(), { objects: [], uploads: [] });
        assert.deepEqual(await shownPlaces(customer), [[two.name, []]]);
      },
    };
  }),
  'former place that nothing needs': placed(async (stage, { customer, two }) => {
    await savePlace(customer, two);
    return {
      about: customer.accountId,
      atRest: () => untilForgotten(stage, customer),
      assertEnd: async () => assert.deepEqual(await shownPlaces(customer), [[two.name, []]]),
    };
  }),
  'move of a file': relocated(({ fileId }) => fileId),
  relocation: relocated(({ relocationId }) => relocationId),
} as const satisfies Record<string, Story>;

/** A file moves from a former place to the current one, and its old object is deleted. */
function relocated(about: (ids: { fileId: string; relocationId: string }) => string): Story {
  return placed(async (stage, { customer, one, two }) => {
    const { fileId, bytes } = await customer.send();
    await complete(customer, fileId);
    await savePlace(customer, two);
    const relocationId = await startRelocation(customer, one);
    return {
      about: about({ fileId, relocationId }),
      atRest: () => untilForgotten(stage, customer),
      async assertEnd() {
        await untilRelocation(customer, relocationId, 'completed');
        await assertReadable(customer, fileId, bytes);
        assert.deepEqual(await one.contents(), { objects: [], uploads: [] });
        const { objects, uploads } = await two.contents();
        assert.deepEqual([objects.length, uploads], [1, []]);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        const lines = await relocatedFiles(customer, relocationId);
        assert.deepEqual(
          lines.map((line) => [line.fileId, line.outcome, line.sha256]),
          [[fileId, 'moved', sha256]],
        );
        assert.ok(lines[0]?.movedAt && lines[0].sourceDeletedAt);
      },
    };
  });
}

function placed(begin: (stage: Stage, at: Placed) => Promise<Scene>): Story {
  return async (stage) => {
    const { suite, places } = stage;
    const [one, two] = [openOwnPlace(suite.stack), openOwnPlace(suite.stack)];
    places.push(one, two);
    const customer = await createCustomer(suite.stack, suite.service.baseUrl, []);
    await savePlace(customer, one);
    return () => begin(stage, { customer, one, two });
  };
}

/** A file is at a former place: it cannot be reached any more. */
async function removal(stage: Stage, { customer, two }: Placed): Promise<Scene> {
  const { fileId } = await customer.send();
  await complete(customer, fileId);
  await savePlace(customer, two);
  return {
    about: customer.accountId,
    go: () => remove(customer, stage.processes.api.url),
    atRest: () => untilForgotten(stage, customer),
    async assertEnd() {
      assert.deepEqual(await shownPlaces(customer), []);
      const { status, body } = await customer.get(fileId);
      assert.deepEqual([status, body['code']], [400, 'provider_not_configured']);
      await remove(customer);
    },
  };
}

async function remove(customer: Customer, at?: string): Promise<void> {
  const removed = await customer.manage(`DELETE /v1/providers/${STORE}`, undefined, at);
  assert.equal(removed.status, 204, removed.text);
}

async function complete(customer: Customer, fileId: string): Promise<void> {
  const completed = await customer.complete(fileId);
  assert.equal(completed.status, 200, completed.text);
}

/** What is kept of the account's former places, the credentials included. */
async function keptPlaces({ database }: Stage, { accountId }: Customer) {
  return await database.read('formerPlaces', { _id: accountId });
}

async function untilForgotten(stage: Stage, customer: Customer): Promise<void> {
  await eventually('the former places are forgotten', async () => {
    return (await keptPlaces(stage, customer)).length === 0;
  });
}
