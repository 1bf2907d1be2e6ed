import assert from 'node:assert/strict';
import {
  failureWords,
  statusMeaning,
  stopWords,
} from '../../../dashboard/src/format/migrations.ts';
import { formatSelector } from '../../../dashboard/src/format/recommendations.ts';
import {
  formatGb,
  formatMilliseconds,
  formatMonth,
  formatSeconds,
  formatUtc,
} from '../../../dashboard/src/format/values.ts';
import { errorDetail, wordsFromCode } from '../../../dashboard/src/format/words.ts';
import { ageWords, sizeWords } from '../../../dashboard/src/views/audit/scan/bands.ts';
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
const CALL = 'GET /v1/scanner/migration/{migrationId}';

describe('the words of the dashboard', () => {
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

  for (const [said, words] of [
    [formatSelector(ALL), 'all objects'],
    [
      formatSelector({ ...ALL, prefix: 'logs/', minAgeDays: 90, maxAgeDays: 365 }),
      'below logs/, 90 to 365 days old',
    ],
    [formatSelector({ ...ALL, maxAgeDays: 30 }), 'up to 30 days old'],
    [formatSeconds(0), '0 sec'],
    [formatSeconds(45), '45 sec'],
    [formatSeconds(60), '1 min'],
    [formatSeconds(3_725), '1 hr 2 min'],
    [formatSeconds(90_000), '1 day 1 hr'],
    [formatMilliseconds(12.6), '13 ms'],
    [formatMilliseconds(2_449), '2.4 s'],
    [formatMonth('2026-11'), 'November 2026'],
    [formatUtc('2026-11-20T12:00:00.000Z'), '2026-11-20 12:00:00 UTC'],
    [formatGb(0.000_000_005), '5 bytes'],
    [ageWords('30-90'), '30 to 90 days'],
    [ageWords('365+'), '365 days and more'],
    [sizeWords('<128KiB'), 'below 128 KiB'],
    [sizeWords('128KiB-1MiB'), '128 KiB to 1 MiB'],
    [sizeWords('>5GiB'), 'above 5 GiB'],
    [wordsFromCode('completed_with_failures'), 'Completed with failures'],
    [errorDetail(new Error(`${CALL} 404: There is none.`)), 'There is none.'],
    [errorDetail(new Error(`${CALL}: no connection`)), 'no connection'],
    [errorDetail(new Error('no call')), 'no call'],
    [errorDetail('cut'), 'cut'],
  ])
    it(`are "${words}"`, () => assert.equal(said, words));
});
