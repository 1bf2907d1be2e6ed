import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import type { Recommendation } from '../../../../domain/decision/types.ts';
import {
  addRuleCommand,
  tagObjectsCommand,
  abortUploadsRule,
} from '../../../../domain/decision/lifecycle.ts';
import { bucket, decideOn, group, KIB, oldVersions } from './inventories.ts';

function only(recommendations: readonly Recommendation[], toClass: string | null) {
  const found = recommendations.filter((one) => one.recommendedStorageClass === toClass);
  assert.equal(found.length, 1);
  assert.ok(found[0]?.howTo);
  return found[0].howTo;
}

const PLACE = { bucket: 'bucket', region: 'us-east-1' };
const changes = (...groups: Parameters<typeof bucket>[0]) =>
  decideOn([bucket(groups)]).recommendations;

describe('howTo', () => {
  it('is null for a move', () => {
    const [move] = changes(group('a/', 'STANDARD', 0));
    assert.deepEqual([move?.kind, move?.howTo], ['move', null]);
  });

  const cleanUps = (source: string, more: Partial<Parameters<typeof decideOn>[1]> = {}) => {
    const held = bucket([], {
      region: 'us-west-004',
      oldVersions: [oldVersions('STANDARD', 100, 1e9)],
      incompleteUploads: { uploads: 2, bytes: 5e9, oldestAt: new Date('2026-01-02') },
      rules: { rules: [] },
    });
    const { recommendations } = decideOn([held], { source, ...more });
    return recommendations.map(({ howTo }) => howTo ?? assert.fail());
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
    const { recommendations } = decideOn([
      bucket([], {
        oldVersions: [oldVersions('STANDARD', 100, 1e9)],
        incompleteUploads: { uploads: 2, bytes: 5e9, oldestAt: new Date('2026-01-02') },
      }),
    ]);
    const rules = Object.fromEntries(
      recommendations.map(({ kind, howTo }) => {
        const { ID, ...rule } = howTo?.lifecycleRule ?? assert.fail('no rule');
        assert.match(ID, /^storage-routing-[a-z-]+-[0-9a-f]{12}$/);
        return [kind, rule];
      }),
    );
    const whole = { Status: 'Enabled', Filter: { Prefix: '' } };
    const expire = { NoncurrentVersionExpiration: { NoncurrentDays: 30 } };
    const abort = { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } };
    assert.deepEqual(rules, {
      expire_old_versions: { ...whole, ...expire, Expiration: { ExpiredObjectDeleteMarker: true } },
      abort_multipart_uploads: { ...whole, ...abort },
    });
  });

  const large = { ObjectSizeGreaterThan: 131_071 };
  const small = [group('a/', 'STANDARD', 0, 10, KIB), group('b/', 'STANDARD', 2, 10, KIB)];
  const others = ['GLACIER', 'GLACIER_IR', 'ONEZONE_IA'].map((name) => group('a/', name, 2));
  // Each beside 10,000 objects of 10 MiB in `a/`, STANDARD, 90 to 365 days old.
  for (const [what, beside, filter] of [
    ['nothing else', [], large],
    ['younger objects, and small ones elsewhere', small, { And: { Prefix: 'a/', ...large } }],
    ['objects of classes that no rule changes to it', others, large],
  ] as const) {
    it(`of a change is a plain rule beside ${what}`, () => {
      const howTo = only(changes(group('a/', 'STANDARD', 2), ...beside), 'GLACIER_IR');
      assert.deepEqual(howTo.lifecycleRule?.Filter, filter);
      const transition = { Days: 90, StorageClass: 'GLACIER_IR' };
      assert.deepEqual(howTo.lifecycleRule?.Transitions, [transition]);
      assert.equal(howTo.commands.length, 1);
    });
  }

  it('of a change asks for a tag where the rule would change another class too', () => {
    const tiered = group('a/', 'INTELLIGENT_TIERING', 3, 7);
    const howTo = only(changes(group('a/', 'STANDARD', 2), tiered), 'GLACIER_IR');
    const Tags = [{ Key: 'storage-routing-to', Value: 'GLACIER_IR' }];
    assert.deepEqual(howTo.lifecycleRule?.Filter, { And: { ...large, Tags } });
    assert.equal(howTo.commands.length, 2);
    assert.match(howTo.summary, /would change 7 objects besides/);
  });

  it('of a change asks for a tag where the rule would change another class of the same age', () => {
    const beside = group('a/', 'INTELLIGENT_TIERING', 2, 3);
    const howTo = only(changes(group('a/', 'STANDARD', 2), beside), 'GLACIER_IR');
    assert.match(howTo.summary, /would change 3 objects besides/);
  });

  it('of a change asks for a tag where the rule would change older objects too', () => {
    const groups = [group('a/', 'STANDARD', 1, 1000), group('a/', 'STANDARD', 2)];
    const [tagging = ''] = only(changes(...groups), 'STANDARD_IA').commands;
    for (const condition of [
      // The scan started on 2026-11-20 at noon: 30 days before, and 90.
      'LastModified<`"2026-10-21T12:00:01"`',
      'LastModified>=`"2026-08-22T12:00:01"`',
      'StorageClass==`"STANDARD"`',
      'Size>=`131072`',
    ])
      assert.ok(tagging.includes(condition), condition);
  });

  it('gives the same rule the same id, and another rule another one', () => {
    assert.equal(abortUploadsRule().ID, abortUploadsRule().ID);
    const [a, b] = ['a/', 'b/'].map((prefix) => {
      const small = group('c/', 'STANDARD', 2, 10, KIB);
      return only(changes(group(prefix, 'STANDARD', 2), small), 'GLACIER_IR').lifecycleRule?.ID;
    });
    assert.notEqual(a, b);
  });

  it('quotes any prefix so that bash hands it to the CLI as it is', () => {
    const printsPrefix = (prefix: string) => {
      const dates = { modifiedUntil: new Date(0), modifiedAfter: null };
      const objects = { prefix, storageClass: 'STANDARD', minSizeBytes: 1, ...dates };
      const command = tagObjectsCommand(PLACE, objects, { Key: 'k', Value: 'v' });
      // `aws` prints its arguments, and its output is tagged by `xargs` in vain: there is none.
      const fake = 'aws() { for word; do printf "%s\\0" "$word" >&3; done; }; export -f aws\n';
      assert.doesNotMatch(command, /[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/);
      const inner = command.split('\n').slice(1, -1).join('\n');
      const printed = execFileSync('bash', ['-c', `exec 3>&1 >/dev/null\n${fake}${inner}`]);
      const words = printed.toString('utf8').split('\0');
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
});
