import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { readApiConfig } from '../../../config/api.ts';
import {
  allows,
  entitle,
  planLimit,
  type EntitlementRequest,
} from '../../../domain/account/entitlement.ts';
import { AppError } from '../../../domain/common/errors.ts';
import { PLAN_NAMES, type PlanLimits } from '../../../domain/account/plan.ts';

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
  const rows: [what: string, request: EntitlementRequest, isAllowed: boolean][] = [
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
  ];
  for (const [what, request, isAllowed] of rows) {
    it(`${isAllowed ? 'allows' : 'refuses'} ${what}`, () => {
      assert.equal(allows(limits, request), isAllowed);
      if (isAllowed) return assert.doesNotThrow(() => entitle('free', limits, request));
      assert.throws(
        () => entitle('free', limits, request),
        (error) => error instanceof AppError && error.code === 'plan_limit',
      );
    });
  }

  it('without limits allows everything', () => {
    const large = 2 ** 52;
    const requests: EntitlementRequest[] = [
      upload(5e9, large, large),
      { what: 'provider', configured: large },
      { what: 'scan', scansThisMonth: large },
      { what: 'migration' },
    ];
    for (const request of requests) assert.ok(allows(unlimited, request));
  });

  it('names the plan and the limit', () => {
    const messageOf = (what: EntitlementRequest['what']) => planLimit('free', limits, what).message;
    assert.equal(messageOf('provider'), 'The free plan allows 1 providers.');
    assert.equal(messageOf('scan'), 'The free plan allows 3 scans a month.');
    assert.match(messageOf('upload'), /monthly quota of the free plan/);
    assert.match(messageOf('migration'), /free plan has no migrations/);
  });

  it('of a larger plan allows everything that a smaller plan allows', () => {
    const { plans } = readApiConfig({
      MONGODB_URI: 'mongodb://db',
      JWT_ISSUER: 'https://id.example',
      JWT_AUDIENCE: 'https://api.example',
      CREDENTIAL_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    });
    const count = fc.nat(2_000_000);
    const requests: fc.Arbitrary<EntitlementRequest> = fc.oneof(
      fc.record({ what: fc.constant('provider' as const), configured: fc.nat(5) }),
      fc.record({ what: fc.constant('scan' as const), scansThisMonth: fc.nat(200) }),
      fc.constant({ what: 'migration' as const }),
      fc
        .tuple(fc.nat(1e9), fc.double({ min: 0, max: 2e13, noNaN: true }), count)
        .map(([sizeBytes, bytes, uploads]) => upload(sizeBytes, Math.floor(bytes), uploads)),
    );
    fc.assert(
      fc.property(requests, (request) => {
        const allowed = PLAN_NAMES.map((name) => allows(plans[name], request));
        const refusals = allowed.lastIndexOf(false) + 1;
        assert.ok(!allowed.slice(0, refusals).includes(true), allowed.join());
      }),
    );
  });
});
