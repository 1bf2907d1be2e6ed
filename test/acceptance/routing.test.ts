import assert from 'node:assert/strict';
import { costUsd, savedUsd, type Priority } from './prices.ts';
import type { Started } from './store.ts';
import { PROVIDERS, storeAccess, type Provider } from './target.ts';
import { one } from './tenant.ts';
import { bodyOf, requireRefusal } from './wire.ts';

const GB = 1_000_000_000;
const MAX_PUT_BYTES = { aws: 5_368_709_120, r2: 5_363_466_240, b2: 5_368_709_120 } as const;
const SIZES = [0, 1, 4096, 131_071, 123_456_789, GB, 4 * 1024 ** 3];
const PRIORITIES: readonly Priority[] = ['hot', 'cold', 'archive'];

/** The store of each priority, by configured stores; `!` expects a warning. */
const TRUTH: readonly [configured: readonly Provider[], Readonly<Record<Priority, string>>][] = [
  [['aws', 'r2', 'b2'], { hot: 'r2', cold: 'b2', archive: 'b2' }],
  [['aws', 'r2'], { hot: 'r2', cold: 'r2', archive: 'r2!' }],
  [['aws', 'b2'], { hot: 'b2!', cold: 'b2', archive: 'b2' }],
  [['r2', 'b2'], { hot: 'r2', cold: 'b2', archive: 'b2' }],
  [['aws'], { hot: 'aws!', cold: 'aws', archive: 'aws!' }],
  [['r2'], { hot: 'r2', cold: 'r2', archive: 'r2!' }],
  [['b2'], { hot: 'b2!', cold: 'b2', archive: 'b2' }],
];
const FIRST_CHOICE = { hot: 'r2', archive: 'b2' } as const;

describe('Routing', () => {
  for (const [configured, choices] of TRUTH) {
    describe(`with ${configured.join(', ')}`, () => {
      before(() => one.configure(...configured));
      after(() => one.clear());

      for (const priority of PRIORITIES) {
        const provider = choices[priority].replace('!', '') as Provider;
        const warned = choices[priority].endsWith('!');
        // spec: file.holds, init-result.routing-warning, router.picks-a-configured-store
        // spec: routing.archive, routing.cold, routing.fails-without-any-store
        // spec: init-result.saved-vs-aws, routing.cost-formula, routing.fallback-warns, routing.hot
        // spec: state.none-pending-decision, upload.records-savings
        it(`sends ${priority} files to ${provider}${warned ? ', with a warning' : ''}`, async () => {
          for (const fileSizeBytes of SIZES) {
            const started = await one.start({ fileSizeBytes, priority });
            assert.equal(started.provider, provider, `${fileSizeBytes} bytes`);
            requireWarning(started, warned ? [firstChoice(priority), provider] : undefined);
            const saved = savedUsd('aws', provider, fileSizeBytes, priority);
            assert.equal(started.savedVsAws, saved, `${fileSizeBytes} bytes`);
            await requireDecision(started, configured, fileSizeBytes, priority);
          }
        });
      }
    });
  }

  // spec: upload.records-savings
  it('holds savings against the prices of the region that the account has at the hyperscaler', async () => {
    await one.configure('aws', 'r2', 'b2');
    bodyOf(await one.save({ ...storeAccess('aws'), region: 'eu-central-1' }), 200);
    for (const fileSizeBytes of SIZES) {
      const hot = await one.start({ fileSizeBytes, priority: 'hot' });
      assert.equal(hot.savedVsAws, savedUsd('aws eu-central-1', 'r2', fileSizeBytes, 'hot'));
      const [aws] = (await one.file(hot.fileId)).routing.costs;
      const monthlyCostUsd = costUsd('aws eu-central-1', fileSizeBytes, 'hot');
      assert.deepEqual(aws, { provider: 'aws', monthlyCostUsd });
    }
    await one.clear();
  });
});

describe('Routing by what a single PUT takes', () => {
  afterEach(() => one.clear());

  it('passes over a store that does not take the size, and warns', async () => {
    await one.configure('aws', 'r2', 'b2');
    const fileSizeBytes = MAX_PUT_BYTES.r2 + 1;
    const started = await one.start({ fileSizeBytes, priority: 'hot' });
    assert.equal(started.provider, 'b2');
    requireWarning(started, ['r2', 'b2']);
    const { routing } = await one.file(started.fileId);
    assert.equal(routing.preferredProvider, 'r2');
    assert.equal(routing.costs.length, 3, 'the one that was passed over has its cost too');
  });

  for (const provider of PROVIDERS) {
    // spec: limits.file-size
    it(`refuses what ${provider} alone does not take, and takes one byte less`, async () => {
      await one.configure(provider);
      for (const priority of PRIORITIES) {
        const announcement = { fileName: 'a', contentType: 'a/b', priority };
        const fileSizeBytes = MAX_PUT_BYTES[provider];
        const fits = await one.announce({ ...announcement, fileSizeBytes });
        assert.equal((bodyOf(fits, 201) as Started).provider, provider);
        const tooLarge = await one.announce({ ...announcement, fileSizeBytes: fileSizeBytes + 1 });
        requireRefusal(tooLarge, 400, 'file_too_large');
      }
    });
  }
});

function firstChoice(priority: Priority): Provider {
  return priority === 'cold' ? 'b2' : FIRST_CHOICE[priority];
}

const SPOKEN = { aws: /\b(?:aws|S3)\b/i, r2: /\br2\b/i, b2: /\bb2\b/i } as const;

/** A warning names the preferred and the chosen store; otherwise there is none. */
function requireWarning(started: Started, names: readonly Provider[] | undefined): void {
  if (names === undefined) return assert.ok(!('routingWarning' in started), started.routingWarning);
  for (const name of names) assert.match(started.routingWarning ?? '(no warning)', SPOKEN[name]);
}

/** The stored decision, as shown with the file. */
async function requireDecision(
  { fileId, provider, routingWarning }: Started,
  configured: readonly Provider[],
  sizeBytes: number,
  priority: Priority,
): Promise<void> {
  const { routing } = await one.file(fileId);
  const { reason, priceBook, preferredProvider, ...rest } = routing;
  assert.ok(reason.length > 0 && priceBook.length > 0);
  assert.deepEqual(rest, {
    provider,
    priority,
    costs: configured.map((name) => ({
      provider: name,
      monthlyCostUsd: costUsd(name, sizeBytes, priority),
    })),
    ...(routingWarning === undefined ? {} : { warning: routingWarning }),
  });
  assert.equal(preferredProvider, priority === 'cold' ? provider : FIRST_CHOICE[priority]);
}
