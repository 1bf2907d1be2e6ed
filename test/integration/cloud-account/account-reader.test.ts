import assert from 'node:assert/strict';
import {
  continueUploads,
  countedUploads,
  startUploads,
  type UploadsState,
} from '../../../adapters/cloud-account/uploads.ts';
import { classifyLifecycle } from '../../../domain/inventory/lifecycle-rules.ts';
import { opened } from '../../harness/opened.ts';
import { openAccount } from './account.ts';

const region = 'eu-west-1';

const rule = (inner: string, status = 'Enabled') =>
  `<LifecycleConfiguration><Rule><ID>x</ID>${inner}<Status>${status}</Status></Rule></LifecycleConfiguration>`;
const DAYS = '<DaysAfterInitiation>7</DaysAfterInitiation>';
const ABORT = `<AbortIncompleteMultipartUpload>${DAYS}</AbortIncompleteMultipartUpload>`;
const TAG = '<Tag><Key>k</Key><Value>v</Value></Tag>';

const LIFECYCLES: Readonly<Record<string, readonly string[]>> = {
  with_abort: ['', '<Filter/>', '<Filter><Prefix></Prefix></Filter>', '<Prefix/>'].map((filter) =>
    rule(filter + ABORT),
  ),
  without_abort: [
    rule(`<Prefix>logs/</Prefix>${ABORT}`),
    rule(`<Filter><Prefix>a</Prefix></Filter>${ABORT}`),
    rule(`<Filter>${TAG}</Filter>${ABORT}`),
    rule(`<Filter><And><Prefix></Prefix>${TAG}</And></Filter>${ABORT}`),
    rule(`<Filter/>${ABORT}`, 'Disabled'),
    rule('<Filter/><Expiration><Days>30</Days></Expiration>'),
  ],
};

describe("reading a customer's account", () => {
  const account = opened(openAccount);
  const bucket = (name: string) => account.reader.bucket({ name, region });

  it('lists all buckets with their regions', async () => {
    const names = Array.from({ length: 1001 }, (_unused, at) => `many-${at}`);
    for (const [at, name] of names.entries())
      account.double.putBucket({ name, region: at % 2 === 0 ? region : 'us-east-1' });
    const found = await account.reader.listBuckets();
    assert.deepEqual(new Set(found.map(({ name }) => name)), new Set(names));
    assert.equal(found.find(({ name }) => name === 'many-2')?.region, region);
    for (const name of names) account.double.removeBucket(name);
  });

  it('lists when each bucket was created', async () => {
    const createdAt = '2021-03-04T05:06:07.000Z';
    account.double.putBucket({ name: 'dated', region, createdAt });
    const found = await account.reader.listBuckets();
    assert.deepEqual(found, [{ name: 'dated', region, createdAt: new Date(createdAt) }]);
    account.double.removeBucket('dated');
  });

  it('reads whether a rule aborts all incomplete uploads of the bucket', async () => {
    account.double.putBucket({ name: 'ruled', region });
    const lifecycleOf = async () => classifyLifecycle((await bucket('ruled').lifecycle()).rules);
    assert.equal(await lifecycleOf(), 'none');
    for (const [expected, lifecycles] of Object.entries(LIFECYCLES))
      for (const lifecycle of lifecycles) {
        account.double.putBucket({ name: 'ruled', settings: { lifecycle } });
        assert.equal(await lifecycleOf(), expected, lifecycle);
      }
  });

  it('counts its incomplete uploads with the bytes of their parts, slice by slice, at a store that is busy', async () => {
    const name = 'unfinished';
    account.double.putBucket({ name, region });
    const uploads = Array.from({ length: 1203 }, (_unused, at) => ({
      key: `u/${at % 400} é+`,
      initiated: new Date(Date.UTC(2023, 0, 1 + (at % 300))).toISOString(),
      partSizes: at === 5 ? Array.from({ length: 1500 }, () => 2) : [1, 2],
    }));
    account.double.seed({ bucket: name, uploads });
    account.double.addFault({ effect: 'slow_down', operation: 'List*', skip: 3, times: 4 });
    const deps = {
      bucket: bucket(name),
      limits: { maxEntries: 500, maxMs: 1e9 },
      now: () => performance.now(),
      random: Math.random,
      wait: async () => undefined,
    };
    let state = startUploads({ asOf: '2023-02-07T00:00:00.000Z', cleaned: ['u/1', 'u/5'] });
    let slices = 0;
    for (; !state.isDone; slices += 1) {
      const { state: next, failure } = await continueUploads(deps, state);
      assert.equal(failure, null);
      state = JSON.parse(JSON.stringify(next)) as UploadsState;
    }
    // Begun in January, and of no key that a rule cleans up.
    const isAbortable = (_upload: unknown, at: number) =>
      at % 300 < 31 && !/^[15]/.test(String(at % 400));
    const abortable = uploads.filter(isAbortable).length;
    assert.deepEqual(countedUploads(state), {
      uploads: 1203,
      bytes: 1202 * 3 + 3000,
      oldestAt: new Date('2023-01-01T00:00:00Z'),
      abortable: { uploads: abortable, bytes: abortable * 3 },
    });
    assert.ok(slices >= 3);
  });
});
