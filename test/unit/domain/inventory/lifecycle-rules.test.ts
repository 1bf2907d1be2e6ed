import assert from 'node:assert/strict';
import type { StoredLifecycleRule } from '../../../../domain/inventory/lifecycle.ts';
import {
  classifyLifecycle,
  cleanedPrefixes,
  expirationsOf,
} from '../../../../domain/inventory/lifecycle-rules.ts';

const AT = new Date('2026-11-28T12:00:00.000Z');
const enabled = (rule: Partial<StoredLifecycleRule>): StoredLifecycleRule => ({
  Status: 'Enabled',
  ...rule,
});
const TAG = { Key: 'a', Value: 'b' };

describe('the lifecycle rules of a bucket', () => {
  it('expire current objects after days or at a date, of all keys or of a prefix', () => {
    const rules = [
      enabled({ Expiration: { Days: 30 }, Filter: {} }),
      enabled({ Expiration: { Days: 365 }, Prefix: 'old-form/' }),
      enabled({ Expiration: { Days: 7 }, Filter: { Prefix: 'tmp/' } }),
      enabled({ Expiration: { Date: '2026-12-01T00:00:00.000Z' } }),
      enabled({ Expiration: { Date: '2026-01-01T00:00:00.000Z' }, Filter: { Prefix: 'past/' } }),
      // None of these expires current objects.
      { Status: 'Disabled', Expiration: { Days: 1 } },
      enabled({ Expiration: { ExpiredObjectDeleteMarker: true } }),
      enabled({ NoncurrentVersionExpiration: { NoncurrentDays: 1 } }),
      enabled({ Transitions: [{ Days: 1, StorageClass: 'GLACIER' }] }),
    ];
    assert.deepEqual(expirationsOf(rules, AT), [
      { prefix: '', days: 30, isConditional: false },
      { prefix: 'old-form/', days: 365, isConditional: false },
      { prefix: 'tmp/', days: 7, isConditional: false },
      { prefix: '', days: 2.5, isConditional: false },
      { prefix: 'past/', days: 0, isConditional: false },
    ]);
  });

  it('have other conditions besides a prefix where they name a tag or a size', () => {
    const filters = [
      { Tag: TAG },
      { ObjectSizeGreaterThan: 0 },
      { ObjectSizeLessThan: 9 },
      { And: { Prefix: 'a/', Tags: [TAG] } },
      { And: { Prefix: 'a/', ObjectSizeGreaterThan: 1 } },
    ];
    const rules = filters.map((Filter) => enabled({ Filter, Expiration: { Days: 1 } }));
    assert.deepEqual(
      expirationsOf(rules, AT).map(({ prefix, isConditional }) => [prefix, isConditional]),
      [
        ['', true],
        ['', true],
        ['', true],
        ['a/', true],
        ['a/', true],
      ],
    );
  });

  it('clean up old versions and uploads, whatever their other conditions', () => {
    const rules = [
      enabled({
        Filter: { And: { Prefix: 'a/', Tags: [TAG] } },
        NoncurrentVersionExpiration: { NoncurrentDays: 400, NewerNoncurrentVersions: 5 },
      }),
      enabled({ Prefix: 'b/', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } }),
      { Status: 'Disabled', NoncurrentVersionExpiration: { NoncurrentDays: 1 } },
    ];
    assert.deepEqual(cleanedPrefixes(rules), { versions: ['a/'], uploads: ['b/'] });
  });

  it('abort all uploads only if they are enabled and have no condition', () => {
    const abort = { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } };
    assert.equal(classifyLifecycle([]), 'none');
    assert.equal(classifyLifecycle([enabled({ ...abort, Filter: { Prefix: '' } })]), 'with_abort');
    assert.equal(
      classifyLifecycle([
        enabled({ ...abort, Filter: { Prefix: 'a/' } }),
        enabled({ ...abort, Filter: { Tag: TAG } }),
        { ...abort, Status: 'Disabled' },
      ]),
      'without_abort',
    );
  });
});
