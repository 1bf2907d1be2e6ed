import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { readApiConfig } from '../../../config.ts';
import {
  allows,
  entitle,
  planLimit,
  type EntitlementRequest,
} from '../../../domain/entitlement.ts';
import { AppError } from '../../../domain/errors.ts';
import { PLAN_NAMES, type PlanLimits } from '../../../domain/plan.ts';

const limits: PlanLimits = {
  gbRoutedPerMonth: 1,
  uploadsPerMonth: 2,
  providers: 1,
  scansPerMonth: 3,
  migrations: false,
};
const unlimited: PlanLimits = {
  gbRoutedPerMonth: null,
  uploadsPerMonth: null,
  providers: null,
  scansPerMonth: null,
  migrations: true,
};
const upload = (sizeBytes: number, bytes: number, uploads: number): EntitlementRequest => ({
  what: 'upload',
  sizeBytes,
  booked: { bytes, uploads },
});

describe('an entitlement', () => {
  const rows: [what: string, ask: EntitlementRequest, isAllowed: boolean][] = [
    ['an upload to the last byte', upload(1e9, 0, 0), true],
    ['an upload one byte over', upload(1e9, 1, 0), false],
    ['the last upload', upload(0, 0, 1), true],
    ['an upload too many', upload(0, 0, 2), false],
    ['an upload above what a larger plan has left behind', upload(0, 5e9, 0), false],
    ['the last provider', { what: 'provider', configured: 0 }, true],
    ['a provider too many', { what: 'provider', configured: 1 }, false],
    ['the last scan', { what: 'scan', scansThisMonth: 2 }, true],
    ['a scan too many', { what: 'scan', scansThisMonth: 3 }, false],
    ['a migration', { what: 'migration' }, false],
  ];
  for (const [what, ask, isAllowed] of rows) {
    it(`${isAllowed ? 'allows' : 'refuses'} ${what}`, () => {
      assert.equal(allows(limits, ask), isAllowed);
      if (isAllowed) return assert.doesNotThrow(() => entitle('free', limits, ask));
      assert.throws(
        () => entitle('free', limits, ask),
        (error) => error instanceof AppError && error.code === 'plan_limit',
      );
    });
  }

  it('without limits allows everything', () => {
    const large = 2 ** 52;
    for (const ask of [
      upload(5e9, large, large),
      { what: 'provider', configured: large },
      { what: 'scan', scansThisMonth: large },
      { what: 'migration' },
    ] satisfies EntitlementRequest[])
      assert.ok(allows(unlimited, ask));
  });

  it('says which plan refused what', () => {
    const said = (what: EntitlementRequest['what']) => planLimit('free', limits, what).message;
    assert.equal(said('provider'), 'The free plan allows 1 providers.');
    assert.equal(said('scan'), 'The free plan allows 3 scans a month.');
    assert.match(said('upload'), /monthly quota of the free plan/);
    assert.match(said('migration'), /free plan has no migrations/);
  });

  it('of a better plan allows whatever one of a smaller plan does', () => {
    const { plans } = readApiConfig({
      MONGODB_URI: 'mongodb://db',
      JWT_ISSUER: 'https://id.example',
      JWT_AUDIENCE: 'https://api.example',
      CREDENTIAL_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    });
    const count = fc.nat(2_000_000);
    const asks: fc.Arbitrary<EntitlementRequest> = fc.oneof(
      fc.record({ what: fc.constant('provider' as const), configured: fc.nat(5) }),
      fc.record({ what: fc.constant('scan' as const), scansThisMonth: fc.nat(200) }),
      fc.constant({ what: 'migration' as const }),
      fc
        .tuple(fc.nat(1e9), fc.double({ min: 0, max: 2e13, noNaN: true }), count)
        .map(([sizeBytes, bytes, uploads]) => upload(sizeBytes, Math.floor(bytes), uploads)),
    );
    fc.assert(
      fc.property(asks, (ask) => {
        const allowed = PLAN_NAMES.map((name) => allows(plans[name], ask));
        const refusals = allowed.lastIndexOf(false) + 1;
        assert.ok(!allowed.slice(0, refusals).includes(true), allowed.join());
      }),
    );
  });
});
