import assert from 'node:assert/strict';
import { formatSeconds } from '../../../dashboard/src/format/values.ts';
import {
  failureWords,
  statusMeaning,
  stopWords,
} from '../../../dashboard/src/format/migrations.ts';
import { formatSelector } from '../../../dashboard/src/format/recommendations.ts';
import { MIGRATION_STATUSES } from '../../../domain/migration/migration.ts';
import { OBJECT_FAILURES } from '../../../domain/migration/object-ledger.ts';
import type { StopCode } from '../../../domain/migration/stop.ts';

const STOPS: Readonly<Record<StopCode, true>> = {
  quote_exceeded: true,
  too_many_failures: true,
  provider_error: true,
  provider_not_configured: true,
  internal_error: true,
};
const ALL = {
  prefix: null,
  storageClass: null,
  minAgeDays: null,
  maxAgeDays: null,
  minSizeBytes: null,
};

describe('the words of the dashboard about moves', () => {
  it('say what to do at each code of an object and of a migration', () => {
    const words = [
      ...OBJECT_FAILURES.map((code) => [code, failureWords(code)] as const),
      ...Object.keys(STOPS).map((code) => [code, stopWords(code)] as const),
    ];
    for (const [code, { title, advice }] of words) {
      assert.notEqual(title, code);
      assert.match(advice, /\.$/, code);
    }
    assert.equal(failureWords('a_code_of_tomorrow').title, 'A code of tomorrow');
    for (const status of MIGRATION_STATUSES) assert.match(statusMeaning(status), /\.$/, status);
  });

  it('say what a selector takes', () => {
    assert.equal(formatSelector(ALL), 'all objects');
    assert.equal(
      formatSelector({ ...ALL, prefix: 'logs/', minAgeDays: 90, maxAgeDays: 365 }),
      'below logs/, 90 to 365 days old',
    );
    assert.equal(formatSelector({ ...ALL, maxAgeDays: 30 }), 'up to 30 days old');
  });

  it('give a length of time in its two largest units', () => {
    assert.deepEqual([0, 45, 60, 3_725, 90_000].map(formatSeconds), [
      '0 sec',
      '45 sec',
      '1 min',
      '1 hr 2 min',
      '1 day 1 hr',
    ]);
  });
});
