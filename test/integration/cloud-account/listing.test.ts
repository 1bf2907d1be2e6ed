import assert from 'node:assert/strict';
import {
  continueListing,
  isListed,
  startListing,
  listedTotals,
  type ListingState,
  type SliceLimits,
} from '../../../adapters/cloud-account/listing.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import { maxSourceKeyBytes } from '../../../domain/migrations/copying.ts';
import { opened } from '../../harness/opened.ts';
import { openAccount, permit } from './account.ts';

const AS_OF = new Date('2025-01-01T00:00:00Z');
const UNLIMITED: SliceLimits = { maxEntries: 1e9, maxMs: 1e9 };
const START = () => startListing('off', { asOf: AS_OF, sizeLimits: [] });
const name = 'listed';
const region = 'eu-central-1';

const SHAPES: Record<string, string> = {
  'flat numbers behind a deep prefix': 'backups/2024/db-{i:6}.dump',
  'numbers without zeros': 'img{i}.png',
  'many directories of the same form': 'logs/{i/3000:2}/host-{i%30:2}/part {i:6}+x.gz',
  'a few large directories': '{i%7}/{i/7:6}.csv',
  'letters beyond ASCII': 'fotos/日本-{i/1000:2}é/{i%1000:4}.jpg',
};

describe("listing a bucket of a customer's account", () => {
  const account = opened(() => openAccount(), 'test');
  let waitedMs = 0;
  beforeEach(() => {
    waitedMs = 0;
    account.double.putBucket({ name, region });
  });

  function slice(state: ListingState, limits: SliceLimits = UNLIMITED, { reader } = account) {
    const deps = {
      bucket: reader.bucket({ name, region }),
      limits,
      maxKeyBytes: maxSourceKeyBytes(name),
      marksOf: () => 0,
      now: () => performance.now() + waitedMs,
      random: Math.random,
      wait: async (ms: number) => void (waitedMs += ms),
    };
    return continueListing(deps, state);
  }

  async function listAll(
    limits: SliceLimits = UNLIMITED,
    between: () => void = () => undefined,
    of = account,
  ): Promise<ListingState> {
    let state = START();
    while (!isListed(state)) {
      const done = await slice(state, limits, of);
      if (done.failure) throw done.failure;
      state = JSON.parse(JSON.stringify(done.state)) as ListingState;
      between();
    }
    return state;
  }

  function generate(count: number, keyPattern = 'd/{i:6}.log', { double } = account): void {
    const lastModified = { from: '2022-01-01T00:00:00Z', to: '2024-12-31T00:00:00Z' };
    const generated = { count, keyPattern, size: 10, lastModified };
    double.seed({ bucket: name, generated: [generated] });
  }

  it('reads keys exactly as they are', async () => {
    const odd = [
      ['//', '/', ' ', '+', '%', '%2B', 'a//b', 'a/../b', './', '"q"', "'", '<&>', '&amp;'],
      ['é', 'e\u0301', '日本/', '\u{1f600}', '\u{e000}', '\u{ffff}', '\t', '\n\r', '\u0001'],
      ['\u007f', 'a\\b', '?x=1', '#', '*', 'x'.repeat(1024), '<Key>', ']]>'],
    ].flat();
    account.double.seed({ bucket: name, objects: odd.map((key, at) => ({ key, size: at })) });
    const bucket = account.reader.bucket({ name, region });
    const page = await bucket.listObjects({ after: null });
    const expected = odd.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const found = page.entries.map(({ key }) => key);
    assert.deepEqual(found, expected);
    for (const [at, key] of expected.entries()) {
      const rest = await bucket.listObjects({ after: { key, versionId: null } });
      assert.equal(rest.entries[0]?.key, expected[at + 1]);
    }
  });

  for (const [title, pattern] of Object.entries(SHAPES))
    it(`lists ${title} concurrently, with few more requests than pages`, async () => {
      generate(30_000, pattern);
      // Without latency the double, in this process, responds to one request before it reads the next.
      account.double.addFault({ effect: 'latency', latencyMs: 10 });
      const state = await listAll();
      assert.deepEqual(listedTotals(state), { objects: 30_000, bytes: 300_000 });
      assert.ok(account.requests.list <= 30 + 40, `${account.requests.list} requests`);
      assert.ok(account.double.counts().mostAtOnce >= 4);
    });

  it('slows down and repeats where the store throttles, disconnects or hangs', async () => {
    const impatient = await openAccount({ timeoutMs: 1000 });
    const { double } = impatient;
    double.putBucket({ name, region });
    generate(30_000, undefined, impatient);
    double.addFault({ effect: 'slow_down', skip: 8, times: 6 });
    double.addFault({ effect: 'internal_error', skip: 6, times: 3 });
    double.addFault({ effect: 'truncate', skip: 3, times: 1 });
    double.addFault({ effect: 'cut', at: 'response', skip: 3, times: 1 });
    double.addFault({ effect: 'cut', skip: 3, times: 1 });
    double.addFault({ effect: 'hang', skip: 3, times: 1 });
    try {
      const state = await listAll(UNLIMITED, undefined, impatient);
      assert.equal(listedTotals(state).objects, 30_000);
    } finally {
      await impatient.close();
    }
    assert.ok(waitedMs > 0);
  });

  it('ends at once when it is aborted', async () => {
    generate(2000);
    const limits = { ...UNLIMITED, signal: AbortSignal.abort() };
    const { state, failure } = await slice(START(), limits);
    assert.equal(failure, null);
    assert.equal(isListed(state), false);
    assert.equal(account.requests.list, 0);
  });

  const sessions = () =>
    account.double.requests().filter(({ operation }) => operation === 'AssumeRole').length;
  for (const end of ['expireSessions', 'revokeSessions'] as const)
    it(`continues with a new session in the middle (${end})`, async () => {
      generate(20_000);
      let ended = false;
      const state = await listAll({ ...UNLIMITED, maxEntries: 5000 }, () => {
        if (!ended) account.double[end]();
        ended = true;
      });
      assert.equal(listedTotals(state).objects, 20_000);
      assert.equal(sessions(), 2);
    });

  it('accepts a refusal once a new session gets it too', async () => {
    permit(account.double, ['s3:GetBucketVersioning']);
    const { failure } = await slice(START());
    assert.ok(failure instanceof StoreError && failure.failure === 'access_denied');
    assert.deepEqual([sessions(), account.requests.list], [2, 2]);
  });
});
