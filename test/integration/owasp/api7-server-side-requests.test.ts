import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { bucketAddress } from '../../../adapters/object-store/address.ts';
import { createValidate } from '../../../api/http/validation.ts';
import { ProviderRequest } from '../../../api/providers/schemas.ts';
import {
  CATALOGUE,
  PROVIDER_NAMES,
  type StoreLocation,
} from '../../../domain/provider/catalogue.ts';

const SUFFIX = {
  aws: '.amazonaws.com',
  r2: '.r2.cloudflarestorage.com',
  b2: '.backblazeb2.com',
} as const;

/** The values that are refused: `acceptance/providers`, `integration/scan/connect`. */
describe('API7: an address that a caller chooses', () => {
  it('stays below the provider’s domain whatever passes the schema', () => {
    const validate = createValidate();
    const text = fc.string({
      unit: fc.constantFrom(...'a b z 0 1 9 - . _ / @ : # ? % \\ \n \u2025'.split(' '), ' '),
      maxLength: 24,
    });
    const location = fc.record({
      provider: fc.constantFrom(...PROVIDER_NAMES),
      bucketName: fc.oneof(text, fc.constantFrom('a.b.c', '127.0.0.1', 'evil.example')),
      region: fc.oneof(text, fc.constantFrom('auto', 'eu-central-1', 'us-west-004')),
      accountId: fc.oneof(text, fc.constantFrom('0a1b')),
    });
    let passed = 0;
    fc.assert(
      fc.property(location, (given: StoreLocation) => {
        try {
          const keys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' };
          validate(ProviderRequest, { ...keys, ...given });
        } catch {
          return;
        }
        const entry = CATALOGUE[given.provider];
        if (!entry.regionPattern.test(given.region)) return;
        passed += 1;
        const { hostname, pathPrefix } = bucketAddress(given, {});
        assert.ok(hostname.endsWith(SUFFIX[given.provider]), hostname);
        assert.match(pathPrefix, /^(?:\/[a-z0-9.-]+)?$/);
      }),
      { numRuns: 5_000 },
    );
    assert.ok(passed > 20, `${passed} locations passed the schema`);
  });
});
