import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  CATALOGUE,
  PROVIDER_NAMES,
  type ProviderName,
  PRIORITIES,
  type Priority,
} from '../../../domain/provider/catalogue.ts';
import { AppError } from '../../../domain/common/errors.ts';
import { route, type RoutingQuestion } from '../../../domain/upload/routing.ts';
import { priceBook } from '../price-book.ts';

const GIB = 2 ** 30;
const R2_LIMIT = 5_363_466_240;
const LIMIT = 5_368_709_120;

interface Row {
  priority: Priority;
  size: number;
  has: ProviderName[];
  to: ProviderName;
  preferred: ProviderName;
  warned: boolean;
}

const row = (
  priority: Priority,
  size: number,
  has: string,
  to: ProviderName,
  preferred: ProviderName,
  warned = false,
): Row => ({ priority, size, has: has.split(' ') as ProviderName[], to, preferred, warned });

const TRUTH_TABLE: Row[] = [
  row('hot', 1e6, 'aws r2 b2', 'r2', 'r2'),
  row('hot', 1e6, 'r2', 'r2', 'r2'),
  row('hot', 1e6, 'aws b2', 'b2', 'r2', true),
  row('hot', 1e6, 'aws', 'aws', 'r2', true),
  row('archive', 1e6, 'aws r2 b2', 'b2', 'b2'),
  row('archive', 1e6, 'aws r2', 'r2', 'b2', true),
  row('archive', 1e6, 'aws', 'aws', 'b2', true),
  row('cold', 1e6, 'aws r2 b2', 'b2', 'b2'),
  row('cold', 1e6, 'aws r2', 'r2', 'r2'),
  row('cold', 1e6, 'aws', 'aws', 'aws'),
  row('hot', 0, 'aws r2 b2', 'r2', 'r2'),
  row('hot', R2_LIMIT, 'aws r2 b2', 'r2', 'r2'),
  row('hot', R2_LIMIT + 1, 'aws r2 b2', 'b2', 'r2', true),
  row('hot', R2_LIMIT + 1, 'aws r2', 'aws', 'r2', true),
  row('cold', R2_LIMIT + 1, 'aws r2', 'aws', 'r2', true),
  row('cold', R2_LIMIT + 1, 'aws b2', 'b2', 'b2'),
  row('archive', LIMIT, 'aws r2 b2', 'b2', 'b2'),
];

function requestOf(
  priority: Priority,
  sizeBytes: number,
  has: readonly ProviderName[],
  isMultipart = false,
): RoutingQuestion {
  const configured = has.map((provider) => ({
    provider,
    region: CATALOGUE[provider].defaultRegion,
  }));
  return { priority, sizeBytes, isMultipart, configured };
}

describe('route', () => {
  for (const { priority, size, has, to, preferred, warned } of TRUTH_TABLE) {
    it(`sends ${priority} files of ${size} bytes to ${to} where ${has.join(', ')} are configured`, () => {
      const { decision } = route(requestOf(priority, size, has), priceBook);
      assert.equal(decision.provider, to);
      assert.equal(decision.preferredProvider, preferred);
      assert.equal(decision.warning !== undefined, warned);
      if (decision.warning !== undefined) {
        assert.match(decision.warning, new RegExp(`\\(${preferred}\\).*\\(${to}\\)`));
      }
    });
  }

  // spec: routing.cost-formula
  it('saves what the worked examples say, to the micro-dollar', () => {
    assert.equal(route(requestOf('hot', 1e9, ['aws', 'r2', 'b2']), priceBook).savedVsAws, 90_240);
    assert.equal(route(requestOf('cold', 4 * GIB, ['aws', 'r2']), priceBook).savedVsAws, 63_576);
    assert.equal(route(requestOf('hot', 0, ['aws', 'r2']), priceBook).savedVsAws, 1);
    assert.equal(route(requestOf('hot', 1e9, ['aws']), priceBook).savedVsAws, 0);
  });

  it('lists the cost of each configured store in the order of the catalogue', () => {
    const { decision } = route(requestOf('hot', 1e9, ['b2', 'aws', 'r2']), priceBook);
    assert.deepEqual(decision.costs, [
      { provider: 'aws', monthlyCostUsd: 0.105245 },
      { provider: 'r2', monthlyCostUsd: 0.015005 },
      { provider: 'b2', monthlyCostUsd: 0.00695 },
    ]);
    assert.equal(decision.priceBook, priceBook.version);
  });

  it('says that the priority decided, and what that costs', () => {
    const reasonOf = (priority: Priority, has: readonly ProviderName[]) =>
      route(requestOf(priority, 1e9, has), priceBook).decision.reason;
    const decided = 'The priority decides: Cloudflare R2 comes first for hot files';
    assert.equal(
      reasonOf('hot', ['r2', 'b2']),
      `${decided}, although Backblaze B2 would cost 54 % less.`,
    );
    assert.equal(reasonOf('hot', ['aws', 'r2']), `${decided}, and costs least.`);
    assert.equal(
      reasonOf('cold', ['aws', 'b2']),
      'Backblaze B2 costs least for cold files of this size.',
    );
  });

  it("computes the saving with the account's own AWS region", () => {
    const configured = [
      { provider: 'aws', region: 'sa-east-1' },
      { provider: 'r2', region: 'auto' },
    ] as const;
    const there = route(
      { priority: 'cold', sizeBytes: 1e9, isMultipart: false, configured },
      priceBook,
    );
    const elsewhere = route(requestOf('cold', 1e9, ['aws', 'r2']), priceBook);
    assert.ok(there.savedVsAws > elsewhere.savedVsAws);
  });

  it('passes over a store that is too small for the parts of a file', () => {
    const chosen = (sizeBytes: number, has: readonly ProviderName[]) =>
      route(requestOf('hot', sizeBytes, has, true), priceBook).decision;
    assert.equal(chosen(5_492_189_429_760, ['aws', 'r2']).provider, 'r2');
    assert.equal(chosen(6_000_000_000, ['aws', 'r2']).warning, undefined);
    const tooLargeForR2 = chosen(5_492_189_429_761, ['aws', 'r2', 'b2']);
    assert.equal(tooLargeForR2.provider, 'b2');
    assert.match(tooLargeForR2.warning ?? '', /does not take a file of this size; using/);
    assert.equal(chosen(10_000_000_000_001, ['aws', 'r2', 'b2']).provider, 'aws');
    assert.throws(() => chosen(53_687_091_200_001, ['aws', 'r2', 'b2']), {
      code: 'file_too_large',
      message: /objects of at most 53687091200000 bytes/,
    });
  });

  it('refuses an account without stores, and a file that no store takes', () => {
    const code = (question: RoutingQuestion) => {
      try {
        return route(question, priceBook).decision.provider;
      } catch (error) {
        return error instanceof AppError ? error.code : error;
      }
    };
    assert.equal(code(requestOf('hot', 1, [])), 'no_providers_configured');
    assert.equal(code(requestOf('hot', LIMIT + 1, ['aws', 'r2', 'b2'])), 'file_too_large');
    assert.equal(code(requestOf('hot', R2_LIMIT + 1, ['r2'])), 'file_too_large');
  });

  const priority = fc.constantFrom(...PRIORITIES);
  const stores = fc.uniqueArray(fc.constantFrom(...PROVIDER_NAMES), { minLength: 1 });
  const size = fc.integer({ min: 0, max: R2_LIMIT });

  // spec: router.picks-a-configured-store
  it('never chooses a store that is not configured', () => {
    fc.assert(
      fc.property(priority, size, stores, (kind, bytes, has) => {
        assert.ok(has.includes(route(requestOf(kind, bytes, has), priceBook).decision.provider));
      }),
    );
  });

  // spec: routing.deterministic
  // spec: routing.deterministic
  it('gives the same answer to the same request, in any order of the stores', () => {
    fc.assert(
      fc.property(priority, size, stores, (kind, bytes, has) => {
        const answer = route(requestOf(kind, bytes, has), priceBook);
        assert.deepEqual(route(requestOf(kind, bytes, has.toReversed()), priceBook), answer);
      }),
    );
  });

  it('never costs less for a larger file', () => {
    fc.assert(
      fc.property(priority, size, size, (kind, a, b) => {
        const [small, large] = [Math.min(a, b), Math.max(a, b)];
        const costs = (bytes: number) =>
          route(requestOf(kind, bytes, PROVIDER_NAMES), priceBook).decision.costs.map(
            (cost) => cost.monthlyCostUsd,
          );
        const larger = costs(large);
        costs(small).forEach((cost, index) => assert.ok(cost <= (larger[index] ?? 0)));
      }),
    );
  });

  // spec: routing.cold
  it('chooses the cheapest for cold files', () => {
    fc.assert(
      fc.property(size, stores, (bytes, has) => {
        const { decision } = route(requestOf('cold', bytes, has), priceBook);
        const chosen = decision.costs.find((cost) => cost.provider === decision.provider);
        for (const cost of decision.costs)
          assert.ok((chosen?.monthlyCostUsd ?? Infinity) <= cost.monthlyCostUsd);
      }),
    );
  });
});
