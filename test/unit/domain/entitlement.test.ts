import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { readApiConfig } from '../../../config/api.ts';
import { allows, entitle, type EntitlementRequest } from '../../../domain/accounts/entitlement.ts';
import { PLAN_NAMES } from '../../../domain/accounts/plan.ts';
import { REQUIRED } from '../config-problems.ts';

const upload = (sizeBytes: number, bytes: number, uploads: number): EntitlementRequest => ({
  what: 'upload',
  sizeBytes,
  booked: { bytes, uploads },
});
const quota = { gbRoutedPerMonth: 1, uploadsPerMonth: 2 };
const limits = { ...quota, providers: 1, scansPerMonth: 3, migrations: false };
const none = { gbRoutedPerMonth: null, uploadsPerMonth: null, providers: null };
const unlimited = { ...none, scansPerMonth: null, migrations: true };

const SAID = {
  upload: /monthly quota of the free plan/,
  provider: /free plan allows 1 providers/,
  scan: /free plan allows 3 scans a month/,
  migration: /free plan has no migrations/,
};

describe('an entitlement', () => {
  for (const [what, request, isAllowed] of [
    ['an upload to the last byte', upload(1e9, 0, 0), true],
    ['an upload one byte over', upload(1e9, 1, 0), false],
    ['the last upload', upload(0, 0, 1), true],
    ['an upload too many', upload(0, 0, 2), false],
    ['an upload above bookings made under a larger plan', upload(0, 5e9, 0), false],
    ['the last provider', { what: 'provider', configured: 0 }, true],
    ['a provider too many', { what: 'provider', configured: 1 }, false],
    ['the last scan', { what: 'scan', scansThisMonth: 2 }, true],
    ['a scan too many', { what: 'scan', scansThisMonth: 3 }, false],
    ['a migration', { what: 'migration' }, false],
  ] satisfies [string, EntitlementRequest, boolean][])
    it(`${isAllowed ? 'allows' : 'refuses'} ${what}, and allows it without limits`, () => {
      assert.equal(allows(limits, request), isAllowed);
      assert.ok(allows(unlimited, request));
      if (isAllowed) return assert.doesNotThrow(() => entitle('free', limits, request));
      const message = SAID[request.what];
      assert.throws(() => entitle('free', limits, request), { code: 'plan_limit', message });
    });

  it('of a larger plan allows everything that a smaller plan allows', () => {
    const { plans } = readApiConfig(REQUIRED);
    const requests: fc.Arbitrary<EntitlementRequest> = fc.oneof(
      fc.record({ what: fc.constant('provider' as const), configured: fc.nat(5) }),
      fc.record({ what: fc.constant('scan' as const), scansThisMonth: fc.nat(200) }),
      fc.constant({ what: 'migration' as const }),
      fc
        .tuple(fc.nat(1e9), fc.maxSafeNat(), fc.nat(2_000_000))
        .map(([sizeBytes, bytes, uploads]) => upload(sizeBytes, bytes % 2e13, uploads)),
    );
    fc.assert(
      fc.property(requests, (request) => {
        const allowed = PLAN_NAMES.map((name) => allows(plans[name], request));
        const first = allowed.indexOf(true);
        assert.ok(first < 0 || allowed.slice(first).every(Boolean), allowed.join());
      }),
    );
  });
});
