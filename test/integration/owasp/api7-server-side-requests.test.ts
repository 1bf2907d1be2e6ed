import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { bucketAddress } from '../../../adapters/object-store/address.ts';
import { createValidate } from '../../../api/http/validation.ts';
import { ProviderRequest } from '../../../api/providers/schemas.ts';
import type { StoreLocation } from '../../../domain/providers/catalogue.ts';
import { catalogue, endpointsAt } from '../../harness/catalogue.ts';

const SUFFIX: Readonly<Record<string, string>> = {
  aws: '.amazonaws.com',
  r2: '.r2.cloudflarestorage.com',
  b2: '.backblazeb2.com',
  wasabi: '.wasabisys.com',
  tigris: 't3.storage.dev',
};

/** The values that are refused: `acceptance/providers`, `integration/scan/connect`. */
describe('API7: an address that a caller chooses', () => {
  it('stays below the provider’s domain whatever passes the schema', () => {
    const validate = createValidate();
    const text = fc.string({
      unit: fc.constantFrom(...'a b z 0 1 9 - . _ / @ : # ? % \\ \n \u2025'.split(' '), ' '),
      maxLength: 24,
    });
    const location = fc.record({
      provider: fc.constantFrom(...catalogue.providers),
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
        const entry = catalogue.entry(given.provider);
        if (!entry.takesRegion(given.region)) return;
        if (entry.needsAccountId && !entry.takesAccountId(given.accountId ?? '')) return;
        passed += 1;
        const { hostname, pathPrefix } = bucketAddress(given, endpointsAt());
        assert.ok(hostname.endsWith(SUFFIX[given.provider] ?? '?'), hostname);
        assert.match(pathPrefix, /^(?:\/[a-z0-9.-]+)?$/);
      }),
      { numRuns: 5_000 },
    );
    assert.ok(passed > 20, `${passed} locations passed the schema`);
  });
});
