import assert from 'node:assert/strict';
import * as migrations from '../../../dashboard/src/format/migrations.ts';
import * as drills from '../../../dashboard/src/format/drills.ts';
import * as audit from '../../../dashboard/src/format/audit.ts';
import { formatSelector } from '../../../dashboard/src/format/recommendations.ts';
import * as values from '../../../dashboard/src/format/values.ts';
import { formatCode } from '../../../dashboard/src/format/code.ts';
import { errorDetail } from '../../../dashboard/src/format/error-messages.ts';
import { ageBandTitle, sizeBandTitle } from '../../../shared/bands.ts';
import { DRILL_STATUSES } from '../../../domain/drills/drill.ts';
import { MIGRATION_STATUSES } from '../../../domain/migrations/migration.ts';
import { OBJECT_FAILURES } from '../../../domain/migrations/object-ledger.ts';
import { RELOCATION_STATUSES } from '../../../domain/relocations/relocation.ts';
import type { StopCode } from '../../../domain/migrations/stop.ts';

const MADE_FOR: Readonly<Record<StopCode, 0>> = {
  quote_exceeded: 0,
  migration_too_large: 0,
  too_many_failures: 0,
  provider_error: 0,
  provider_not_configured: 0,
  internal_error: 0,
};
const AGES = { minAgeDays: null, maxAgeDays: null };
const ALL = { prefix: null, storageClass: null, ...AGES, minSizeBytes: null };
const ACCOUNT = 'AWS account 111122223333';
const titleOf = (provider: string) => `Title of ${provider}`;
const CALL = 'GET /v1/scanner/migration/{migrationId}';

describe('the texts of the dashboard', () => {
  it('say what to do at each code of an object and of a migration', () => {
    const texts = [
      ...OBJECT_FAILURES.map((code) => [code, migrations.failureAdvice(code)] as const),
      ...Object.keys(MADE_FOR).map((code) => [code, migrations.stopAdvice(code)] as const),
    ];
    for (const [code, [title, advice]] of texts) {
      assert.notEqual(title, code);
      assert.match(advice, /\.$/, code);
    }
    assert.equal(migrations.failureAdvice('a_code_of_tomorrow')[0], 'A code of tomorrow');
    for (const status of MIGRATION_STATUSES)
      assert.match(migrations.statusMeaning(status), /\.$/, status);
  });

  it('say the same of a relocation, which has no rounds', () => {
    for (const code of OBJECT_FAILURES)
      assert.doesNotMatch(migrations.relocationFailureAdvice(code)[1], /round/, code);
    for (const code of ['provider_error', 'provider_not_configured', 'internal_error'])
      assert.doesNotMatch(migrations.relocationStopAdvice(code)[1], /round/, code);
    for (const status of RELOCATION_STATUSES)
      assert.match(migrations.relocationMeaning(status), /\.$/, status);
  });

  it('say the same of an exit drill, of which nothing stays', () => {
    for (const code of OBJECT_FAILURES)
      assert.doesNotMatch(drills.drillFailureAdvice(code)[1], /round/, code);
    for (const code of ['quote_exceeded', 'provider_error', 'internal_error'])
      assert.doesNotMatch(drills.drillStopAdvice(code).join(' '), /round|approved|stays/, code);
    const sample = { files: 4, bytes: 4, strata: [] };
    for (const status of DRILL_STATUSES)
      assert.match(drills.drillMeaning({ status, sample }, 3), /\.$/, status);
    assert.match(drills.drillMeaning({ status: 'completed', sample }, 3), /^3 of 4 files came/);
  });

  for (const [said, words] of [
    [formatSelector(ALL), 'all objects'],
    [formatSelector({ ...ALL, prefix: 'a/', minAgeDays: 90 }), 'below a/, 90 days and older'],
    [formatSelector({ ...ALL, minAgeDays: 90, maxAgeDays: 365 }), '90 to 365 days old'],
    [formatSelector({ ...ALL, maxAgeDays: 30 }), 'younger than 30 days'],
    [
      [0, 45, 60, 3_725, 90_000].map(values.formatSeconds).join(),
      '0 sec,45 sec,1 min,1 hr 2 min,1 day 1 hr',
    ],
    [[12.6, 2_449].map(values.formatMilliseconds).join(), '13 ms,2.4 s'],
    [[0, 0.0001, 40.571].map(values.ceilToCents).join(), '0,0.01,40.58'],
    [values.formatMonth('2026-11'), 'November 2026'],
    [values.formatUtc('2026-11-20T12:00:00.000Z'), '2026-11-20 12:00:00 UTC'],
    [values.formatGb(0.000_000_005), '5 bytes'],
    [(['30-90', '365+'] as const).map(ageBandTitle).join(), '30 to 90 days,365 days and more'],
    [
      (['<128KiB', '128KiB-1MiB', '>5GiB'] as const).map(sizeBandTitle).join(),
      'below 128 KiB,128 KiB to 1 MiB,above 5 GiB',
    ],
    [audit.connectionTitle({ roleArn: 'arn:aws:iam::111122223333:role/R' }, titleOf), ACCOUNT],
    [audit.connectionTitle({ provider: 'r2' }, titleOf), 'Title of r2'],
    [audit.formatBuckets(null), 'All buckets that the stored keys can list'],
    [audit.formatBuckets(['a', 'b']), 'a, b, and the bucket stored with the keys'],
    [audit.parseBuckets(' media,\nbackups\nmedia ')?.join('|'), 'media|backups'],
    [String(audit.parseBuckets(' \n')), 'null'],
    [formatCode('completed_with_failures'), 'Completed with failures'],
    [errorDetail(new Error(`${CALL} 404: There is none.`)), 'There is none.'],
    [errorDetail(new Error(`${CALL}: no connection`)), 'no connection'],
    [errorDetail(new Error('no call')), 'no call'],
    [errorDetail('cut'), 'cut'],
  ])
    it(`are "${words}"`, () => assert.equal(said, words));
});
