import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  PRIORITIES,
  type Priority,
  type ProviderName,
} from '../../../domain/providers/catalogue.ts';
import { route, type RoutingQuestion } from '../../../domain/uploads/routing.ts';
import { catalogue, priceBook } from '../price-book.ts';

type Has = readonly ProviderName[];
const ALL: Has = ['aws', 'r2', 'b2'];

function routed(
  priority: Priority,
  sizeBytes: number,
  has: Has,
  more: Partial<RoutingQuestion> = {},
) {
  const configured = has.map((provider) => ({
    provider,
    region: catalogue.entry(provider).defaultRegion,
  }));
  return route({ priority, sizeBytes, isMultipart: false, configured, ...more }, priceBook);
}

/** Which store is chosen, with which warning and saving, is held against the service by test/acceptance/routing.test.ts. */
describe('route', () => {
  it('says that the priority decided, and what that costs', () => {
    const decided = 'The priority decides: Cloudflare R2 comes first for hot files';
    for (const [priority, has, reason] of [
      ['hot', ['r2', 'b2'], `${decided}, although Backblaze B2 would cost 54 % less.`],
      ['hot', ['aws', 'r2'], `${decided}, and costs least.`],
      ['cold', ['aws', 'b2'], 'Backblaze B2 costs least for cold files of this size.'],
    ] as const)
      assert.equal(routed(priority, 1e9, has).decision.reason, reason);
  });

  it('passes over a store that is too small for the parts of a file, and refuses what none takes', () => {
    const chosen = (sizeBytes: number) =>
      routed('hot', sizeBytes, ALL, { isMultipart: true }).decision;
    for (const [sizeBytes, provider] of [
      [5_492_189_429_760, 'r2'],
      [5_492_189_429_761, 'b2'],
      [10_000_000_000_001, 'aws'],
      [53_687_091_200_000, 'aws'],
    ] as const) {
      const { warning, ...decision } = chosen(sizeBytes);
      assert.equal(decision.provider, provider);
      if (provider === 'r2') assert.equal(warning, undefined);
      else assert.match(warning ?? '', /does not take a file of this size; using/);
    }
    const message = /objects of at most 53687091200000 bytes/;
    assert.throws(() => chosen(53_687_091_200_001), { code: 'file_too_large', message });
    assert.throws(() => routed('hot', 1, []), { code: 'no_providers_configured' });
  });

  it('passes over a store that demands a digest for a file in parts, and refuses where there is no other', () => {
    const stores = (...locked: Has) =>
      ALL.map((provider) => ({
        provider,
        region: catalogue.entry(provider).defaultRegion,
        demandsDigest: locked.includes(provider),
      }));
    const inParts = (configured: RoutingQuestion['configured']) =>
      routed('hot', 1e9, [], { isMultipart: true, configured }).decision;
    const { provider, preferredProvider, warning } = inParts(stores('r2'));
    assert.deepEqual([provider, preferredProvider], ['b2', 'r2']);
    assert.match(warning ?? '', /R2 \(r2\) .* takes no file in parts.*using Backblaze B2/);
    const message = /^AWS S3 \(aws\), Cloudflare R2 \(r2\), Backblaze B2 \(b2\): .*digest/;
    assert.throws(() => inParts(stores(...ALL)), { code: 'provider_not_usable', message });
    const whole = { configured: stores('r2') };
    assert.equal(routed('hot', 1e9, [], whole).decision.provider, 'r2');
  });

  // spec: router.picks-a-configured-store, routing.cold, routing.deterministic
  it('chooses a configured store, the cheapest for cold files, in any order of the stores; a larger file costs no less', () => {
    const priority = fc.constantFrom(...PRIORITIES);
    const stores = fc.uniqueArray(fc.constantFrom(...catalogue.providers), { minLength: 1 });
    const size = fc.integer({ min: 0, max: 5_363_466_240 });
    fc.assert(
      fc.property(priority, size, size, stores, (kind, bytes, more, has) => {
        const answer = routed(kind, bytes, has);
        const { provider, costs } = answer.decision;
        assert.ok(has.includes(provider));
        assert.deepEqual(routed(kind, bytes, has.toReversed()), answer);
        const least = Math.min(...costs.map((cost) => cost.monthlyCostUsd));
        const chosen = costs.find((cost) => cost.provider === provider)?.monthlyCostUsd;
        if (kind === 'cold') assert.equal(chosen, least);
        const larger = routed(kind, Math.max(bytes, more), has).decision.costs;
        for (const [index, cost] of costs.entries())
          assert.ok(cost.monthlyCostUsd <= (larger[index]?.monthlyCostUsd ?? 0));
      }),
    );
  });
});
