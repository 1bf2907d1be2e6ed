import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { changeHowTo, cleanUpHowTo, taggingRequestsUsd } from '../../../../domain/how-to/how-to.ts';
import {
  addRuleCommand,
  tagObjectsCommand,
  abortUploadsRule,
} from '../../../../domain/how-to/lifecycle.ts';
import type { HeldBucket, Source } from '../../../../domain/how-to/types.ts';
import { AGE_BAND_FIRST_DAY, REST_PREFIX } from '../../../../domain/inventory/bands.ts';
import type { BucketInventory, Group } from '../../../../domain/inventory/inventory.ts';
import {
  bucketWith,
  changeCandidates,
  groupOf,
  type Change,
} from '../../../harness/change-candidates.ts';
import { catalogue } from '../../price-book.ts';

const PLACE = { bucket: 'bucket', region: 'us-east-1' };
const MIB = 2 ** 20;
const KIB = 2 ** 10;
const DECIDED = { source: 'aws', startedAt: new Date('2026-11-20T12:00:00Z') };

/** Objects of 10 MiB in an age band. */
function group(
  prefix: string,
  storageClass: string,
  band: number,
  objects = 10_000,
  size = 10 * MIB,
) {
  const ageDays = AGE_BAND_FIRST_DAY[band] ?? assert.fail();
  return groupOf({ prefix, storageClass, ageDays, size, objects });
}

/** How to carry out the first of some changes. */
function howToOf(held: HeldBucket, ...changes: readonly Change[]) {
  const recommended = changeCandidates(held, changes);
  const [first] = recommended;
  return changeHowTo(DECIDED, first ?? assert.fail(), recommended);
}

/** The words that a command gives to `aws`, which prints them and answers nothing. */
function runFake(command: string, before = ':'): readonly string[] {
  const fake = 'aws() { for word; do printf "%s\\0" "$word" >&3; done; }; export -f aws';
  const inner = command.split('\n').slice(1, -1).join('\n');
  const run = `exec 3>&1 >/dev/null 2>&1\n${fake}\n${before}\n(${inner}\n) || true`;
  return execFileSync('bash', ['-c', run]).toString('utf8').split('\0');
}

function asFilter({ Prefix, ...rule }: { readonly Prefix?: string } = {}) {
  return { ...rule, Filter: { Prefix } };
}

describe('howTo', () => {
  const KINDS = ['expire_old_versions', 'abort_multipart_uploads'] as const;

  const cleanUps = (
    source: string,
    {
      configured = [],
      rules = [],
    }: Partial<Source> & {
      rules?: NonNullable<BucketInventory['rules']>['rules'];
    } = {},
  ) => {
    const region = source === 'aws' ? 'us-east-1' : 'us-west-004';
    const held = bucketWith([], { region, rules: { rules } });
    const context = { catalogue, source, configured };
    return KINDS.map((kind) => cleanUpHowTo(context, { kind, bucket: held }));
  };

  it('of clean-ups at b2 sets its own lifecycle rules, unless there are some', () => {
    const [versions, uploads] = cleanUps('b2');
    const keep = { daysFromHidingToDeleting: 1 };
    const abort = { daysFromStartingToCancelingUnfinishedLargeFiles: 7 };
    for (const [howTo, expected] of [
      [versions, { ...keep, ...abort }],
      [uploads, abort],
    ] as const) {
      assert.deepEqual([howTo?.lifecycleRule, howTo?.terraform], [null, null]);
      const [command = ''] = howTo?.commands ?? [];
      for (const [there, isSet] of [
        ['{\n  "lifecycleRules": []\n}', true],
        ['{\n  "lifecycleRules": [ { "fileNamePrefix": "a/" } ]\n}', false],
      ] as const) {
        const fake =
          'b2() { if [ "$2" = get ]; then echo "$THERE"; else printf "%s\\n" "$@" >&3; fi; }';
        const inner = command.split('\n').slice(1, -1).join('\n');
        const run = `exec 3>&1 >/dev/null 2>&1; export THERE; ${fake}\n(${inner}\n) || true`;
        const printed = execFileSync('bash', ['-c', run], {
          env: { ...process.env, THERE: there },
        });
        const words = printed.toString('utf8').split('\n');
        assert.equal(words.length > 1, isSet);
        if (!isSet) continue;
        assert.deepEqual(words.slice(0, 3), ['bucket', 'update', '--lifecycle-rule']);
        const whole = { fileNamePrefix: '', daysFromUploadingToHiding: null };
        assert.deepEqual(JSON.parse(words[3] ?? ''), { ...whole, ...expected });
        assert.equal(words[4], 'bucket');
      }
    }
  });

  it('of clean-ups at a store with lifecycle rules names its endpoint, if it is known', () => {
    const [howTo] = cleanUps('r2', {
      configured: [{ provider: 'r2', region: 'auto', accountId: 'abc' }],
    });
    assert.match(
      howTo?.commands[0] ?? '',
      /--endpoint-url https:\/\/abc\.r2\.cloudflarestorage\.com\)/,
    );
    assert.equal(howTo?.terraform, null);
    assert.deepEqual(cleanUps('r2', { configured: [] })[0]?.commands, []);
  });

  it('of clean-ups at a store without lifecycle rules has no commands', () => {
    const [howTo] = cleanUps('tigris');
    assert.deepEqual([howTo?.lifecycleRule, howTo?.commands], [null, []]);
    assert.match(howTo?.summary ?? '', /^Tigris has no lifecycle rule/);
  });

  it('of clean-ups is a rule for the whole bucket', () => {
    const [versions, uploads] = cleanUps('aws').map(({ lifecycleRule, commands }) => {
      const { ID, ...rule } = lifecycleRule ?? assert.fail('no rule');
      assert.match(ID, /^storage-routing-[a-z-]+-[0-9a-f]{12}$/);
      assert.equal(commands.length, 1);
      return rule;
    });
    const whole = { Status: 'Enabled', Filter: { Prefix: '' } };
    const expire = { NoncurrentVersionExpiration: { NoncurrentDays: 30 } };
    const abort = { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } };
    const Expiration = { ExpiredObjectDeleteMarker: true };
    assert.deepEqual(
      [versions, uploads],
      [
        { ...whole, ...expire, Expiration },
        { ...whole, ...abort },
      ],
    );
  });

  it('of clean-ups has no command where a rule of the customer keeps for longer what it would delete', () => {
    const keeps = { ID: 'legal', Status: 'Enabled', Filter: { Prefix: 'legal/' } };
    for (const [rule, isKept] of [
      [{ ...keeps, NoncurrentVersionExpiration: { NoncurrentDays: 365 } }, [true, false]],
      [
        {
          ...keeps,
          NoncurrentVersionExpiration: { NoncurrentDays: 1, NewerNoncurrentVersions: 5 },
        },
        [true, false],
      ],
      [{ ...keeps, NoncurrentVersionExpiration: { NoncurrentDays: 20 } }, [false, false]],
      [{ ...keeps, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 30 } }, [false, true]],
      [
        { ...keeps, Status: 'Disabled', NoncurrentVersionExpiration: { NoncurrentDays: 365 } },
        [false, false],
      ],
    ] as const) {
      const found = cleanUps('aws', { rules: [rule] });
      assert.deepEqual(
        found.map(({ commands }) => commands.length === 0),
        isKept,
      );
      for (const { summary, lifecycleRule } of found.filter(
        ({ commands }) => commands.length === 0,
      ))
        assert.deepEqual(
          [lifecycleRule, summary.startsWith('A rule of your own (legal)')],
          [null, true],
        );
    }
  });

  const large = { ObjectSizeGreaterThan: 131_071 };
  const small = [group('a/', 'STANDARD', 0, 10, KIB), group('b/', 'STANDARD', 2, 10, KIB)];
  const others = ['GLACIER', 'GLACIER_IR', 'ONEZONE_IA'].map((name) => group('a/', name, 2));
  for (const [what, prefix, beside, filter] of [
    ['nothing else', null, [], large],
    ['younger objects, and small ones elsewhere', 'a/', small, { And: { Prefix: 'a/', ...large } }],
    ['objects of classes that no rule changes to it', null, others, large],
  ] as const) {
    it(`of a change is a plain rule beside ${what}`, () => {
      const held = bucketWith([group('a/', 'STANDARD', 2), ...beside]);
      const howTo = howToOf(held, [prefix, 'STANDARD', 'GLACIER_IR', 2]);
      assert.deepEqual(howTo.lifecycleRule?.Filter, filter);
      const transition = { Days: 90, StorageClass: 'GLACIER_IR' };
      assert.deepEqual(howTo.lifecycleRule?.Transitions, [transition]);
      assert.equal(howTo.commands.length, 1);
      assert.match(
        howTo.summary,
        /S3 Glacier Instant Retrieval \(GLACIER_IR\) once they are 90 days/,
      );
    });
  }

  const Tags = (Value: string) => [{ Key: 'storage-routing-to', Value }];
  for (const [what, change, beside] of [
    [
      'another class',
      ['a/', 'STANDARD', 'GLACIER_IR', 2],
      group('a/', 'INTELLIGENT_TIERING', 3, 7),
    ],
    ['older objects', ['a/', 'STANDARD', 'STANDARD_IA', 1], group('a/', 'STANDARD', 2, 7)],
    ['what is no archive', ['a/', 'GLACIER', 'DEEP_ARCHIVE', 2], group('a/', 'STANDARD', 2, 7)],
    [
      'warmer objects',
      ['a/', 'STANDARD', 'INTELLIGENT_TIERING', 1],
      group('a/', 'STANDARD_IA', 1, 7),
    ],
  ] as const) {
    it(`of a change asks for a tag where a rule would change ${what} too`, () => {
      const [, fromClass, toClass, band] = change;
      const held = bucketWith([group('a/', fromClass, band, 1000), beside]);
      const howTo = howToOf(held, change);
      const filter = { And: { Prefix: 'a/', ...large, Tags: Tags(toClass) } };
      assert.deepEqual(howTo.lifecycleRule?.Filter, filter);
      assert.equal(howTo.commands.length, 2);
      assert.match(howTo.summary, /would change 7 objects besides/);
    });
  }

  it('of a change is one rule with both transitions where the older objects are to change further', () => {
    const held = bucketWith([
      group('a/', 'STANDARD', 1),
      group('a/', 'STANDARD', 2),
      group('b/', 'STANDARD', 2),
    ]);
    const both: Change[] = [
      ['a/', 'STANDARD', 'STANDARD_IA', 1],
      ['a/', 'STANDARD', 'GLACIER_IR', 2, 3],
    ];
    const howTo = howToOf(held, ...both);
    assert.deepEqual(howTo.lifecycleRule?.Transitions, [
      { Days: 30, StorageClass: 'STANDARD_IA' },
      { Days: 90, StorageClass: 'GLACIER_IR' },
    ]);
    assert.deepEqual(howTo.lifecycleRule?.Filter, { And: { Prefix: 'a/', ...large } });
    assert.equal(howTo.commands.length, 1);
    assert.match(howTo.summary, /carries out 2 recommendations at once/);
    // The other one alone needs a single transition.
    const alone = howToOf(held, ...both.toReversed()).lifecycleRule?.Transitions;
    assert.deepEqual(alone, [{ Days: 90, StorageClass: 'GLACIER_IR' }]);
  });

  it('of a change asks for a tag where S3 cannot change from the class of the first transition to the next', () => {
    const held = bucketWith([group('a/', 'STANDARD', 0), group('a/', 'STANDARD', 1)]);
    const howTo = howToOf(
      held,
      ['a/', 'STANDARD', 'GLACIER_IR', 0],
      ['a/', 'STANDARD', 'STANDARD_IA', 1],
    );
    assert.deepEqual(howTo.lifecycleRule?.Transitions, [{ Days: 0, StorageClass: 'GLACIER_IR' }]);
    assert.equal(howTo.commands.length, 2);
  });

  it('of a change is a plain rule where the other class that it changes is to be changed so too', () => {
    const held = bucketWith([group('a/', 'STANDARD', 2), group('a/', 'STANDARD_IA', 3)]);
    const both: Change[] = [
      ['a/', 'STANDARD', 'GLACIER_IR', 2],
      [null, 'STANDARD_IA', 'GLACIER_IR', 3],
    ];
    assert.equal(howToOf(held, ...both).commands.length, 1);
    assert.equal(howToOf(held, both[0] ?? assert.fail()).commands.length, 2);
  });

  it('promises half of what S3 Intelligent-Tiering would save, and says so', () => {
    const held = bucketWith([group('a/', 'STANDARD', 1)]);
    const howTo = howToOf(held, [null, 'STANDARD', 'INTELLIGENT_TIERING', 1]);
    assert.deepEqual(howTo.lifecycleRule?.Transitions, [
      { Days: 30, StorageClass: 'INTELLIGENT_TIERING' },
    ]);
    assert.match(howTo.summary, /S3 Intelligent-Tiering .* only half of the saving is promised/);
  });

  it('tags the objects of the class, size and age that are selected', () => {
    const held = bucketWith([group('a/', 'STANDARD', 1, 1000), group('a/', 'STANDARD', 2)]);
    const [tagging = ''] = howToOf(held, [null, 'STANDARD', 'STANDARD_IA', 1]).commands;
    for (const condition of [
      // The scan started on 2026-11-20 at noon: 30 days before, and 90.
      'LastModified<`"2026-10-21T12:00:01"`',
      'LastModified>=`"2026-08-22T12:00:01"`',
      'StorageClass==`"STANDARD"`',
      'Size>=`131072`',
    ])
      assert.ok(tagging.includes(condition), condition);
  });

  it('has more than 100,000 objects tagged by a job of S3 that waits to be confirmed', () => {
    const held = bucketWith([group('a/', 'STANDARD', 1, 100_001), group('a/', 'STANDARD', 2, 5)]);
    const { commands, summary } = howToOf(held, ['a/', 'STANDARD', 'STANDARD_IA', 1]);
    assert.match(summary, /S3 Batch Operations .* replaces the tags of an object/);
    const [command = ''] = commands;
    const words = runFake(command, 'export BATCH_ROLE_ARN=arn:aws:iam::111122223333:role/batch');
    assert.deepEqual(words.slice(0, 6), [
      'sts',
      'get-caller-identity',
      '--output',
      'text',
      '--query',
      'Account',
    ]);
    const at = (name: string) => words[words.indexOf(name) + 1] ?? '';
    assert.equal(at('--role-arn'), 'arn:aws:iam::111122223333:role/batch');
    const job = JSON.parse(at('--cli-input-json'));
    assert.equal(job.ConfirmationRequired, true);
    assert.deepEqual(job.Operation, { S3PutObjectTagging: { TagSet: Tags('STANDARD_IA') } });
    assert.deepEqual(job.ManifestGenerator.S3JobManifestGenerator, {
      SourceBucket: 'arn:aws:s3:::bucket',
      EnableManifestOutput: false,
      Filter: {
        KeyNameConstraint: { MatchAnyPrefix: ['a/'] },
        MatchAnyStorageClass: ['STANDARD'],
        ObjectSizeGreaterThanBytes: 131_071,
        CreatedBefore: '2026-10-21T12:00:01Z',
        CreatedAfter: '2026-08-22T12:00:00.000Z',
      },
    });
    assert.deepEqual(runFake(command, 'unset BATCH_ROLE_ARN'), ['']);
    const again = howToOf(held, ['a/', 'STANDARD', 'STANDARD_IA', 1]).commands[0];
    assert.equal(again, command);
  });

  it('prices the requests of tagging: a listing, and a read and a write for each object', () => {
    const prices = { putUsd: 5e-6, getUsd: 4e-7, listUsd: 5e-3 };
    const usd = (objects: number, beside: readonly Group[], ...more: readonly Change[]) => {
      const held = bucketWith([group('a/', 'STANDARD', 1, objects), ...beside]);
      const recommended = changeCandidates(held, [['a/', 'STANDARD', 'STANDARD_IA', 1], ...more]);
      return taggingRequestsUsd(recommended[0] ?? assert.fail(), recommended, prices);
    };
    const older = [group('a/', 'STANDARD', 2, 1), group('b/', 'STANDARD', 2)];
    assert.equal(usd(1000, older), 1000 * 5.4e-6 + 2 * 5e-3);
    assert.equal(usd(1000, []), 0);
    assert.equal(usd(1000, older, ['a/', 'STANDARD', 'GLACIER_IR', 2]), 0);
    assert.equal(usd(200_000, older), 200_000 * 5e-6);
  });

  it('gives the same rule the same id, and another rule another one', () => {
    assert.equal(abortUploadsRule().ID, abortUploadsRule().ID);
    const [a, b] = ['a/', 'b/'].map((prefix) => {
      const held = bucketWith([group(prefix, 'STANDARD', 2), group(REST_PREFIX, 'STANDARD', 2)]);
      return howToOf(held, [prefix, 'STANDARD', 'GLACIER_IR', 2]).lifecycleRule?.ID;
    });
    assert.notEqual(a, b);
  });

  it('quotes any prefix so that bash hands it to the CLI as it is', () => {
    const printsPrefix = (prefix: string) => {
      const dates = { modifiedUntil: new Date(0), modifiedAfter: null };
      const objects = { prefix, storageClass: 'STANDARD', minSizeBytes: 1, ...dates };
      const command = tagObjectsCommand(PLACE, objects, { Key: 'k', Value: 'v' });
      assert.doesNotMatch(command, /[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/);
      const words = runFake(command);
      return words.find((word) => word.startsWith('--prefix='))?.slice('--prefix='.length);
    };
    const letters = fc.constantFrom(
      ...'ab\'"`$!\\ \n\t*?;&|(){}#~%é漢😀\u061C\u200F\u202E\u2066'.split(/(?:)/u),
    );
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 12 }), (chosen) => {
        const prefix = `${chosen.join('')}/`;
        assert.equal(printsPrefix(prefix), prefix);
      }),
      { numRuns: 30 },
    );
  });

  it('is one line of JSON for the CLI, whatever the rule names', () => {
    const rule = { ...abortUploadsRule(), Filter: { Prefix: "it's `a`\n/" } };
    const command = addRuleCommand(PLACE, rule);
    const quoted = /printf %s '(.*)' >/.exec(command)?.[1]?.replaceAll(String.raw`'\''`, "'") ?? '';
    assert.deepEqual(JSON.parse(quoted), { Rules: [rule] });
    assert.ok(!quoted.includes('`'));
  });

  it('gives rules of the older form the filter that means the same, and leaves all else as it is', () => {
    const rules = [
      {
        ID: 'old "Prefix": "x"',
        Prefix: 'it\'s "a", \\b/',
        Status: 'Enabled',
        Expiration: { Days: 3 },
      },
      { Expiration: { Days: 3 }, Status: 'Enabled', Prefix: '' },
      { Filter: { Prefix: 'new/' }, Status: 'Enabled', Expiration: { Days: 3 } },
      { Filter: { And: { Prefix: 'new/', ObjectSizeGreaterThan: 1 } }, Status: 'Enabled' },
    ];
    const convert = /sed -E .*'/.exec(addRuleCommand(PLACE, abortUploadsRule()))?.[0] ?? '';
    const input = JSON.stringify({ Rules: rules }, null, 4);
    const converted = execFileSync('bash', ['-c', convert], { input }).toString('utf8');
    const [old, ofAll, ...others] = rules;
    assert.deepEqual(JSON.parse(converted), {
      Rules: [asFilter(old), asFilter(ofAll), ...others],
    });
  });
});
