import assert from 'node:assert/strict';
import { toHistory, type LineOfKey } from '../../../../domain/migrations/key-history.ts';
import type { ObjectOutcome } from '../../../../domain/migrations/object-ledger.ts';

const OWN = 'own';

/** A line at a minute of an hour. */
function line(
  minute: number,
  outcome: ObjectOutcome,
  { by = OWN, targetEtag = `etag-${minute}`, isOfSource = true, isReleased = false } = {},
): LineOfKey {
  return {
    migrationId: by,
    isOfSource,
    isReleased,
    line: {
      key: 'k',
      targetKey: 'p/k',
      bytes: 1,
      sourceEtag: 's',
      sha256: null,
      targetEtag: outcome === 'failed' ? null : targetEtag,
      outcome,
      attempts: 1,
      at: new Date(Date.UTC(2026, 10, 1, 12, minute)).toISOString(),
      notCarried: [],
    },
  };
}

const OTHER = { by: 'other' };
const ELSEWHERE = { by: 'elsewhere', isOfSource: false };

describe('the history of a key at the target', () => {
  for (const [what, written, isRemovable, lines] of [
    ['no line', null, false, []],
    ['a copy', 'etag-1', true, [line(1, 'copied')]],
    ['a later copy', 'etag-2', true, [line(2, 'copied'), line(1, 'copied')]],
    ['a copy and a failure after it', 'etag-1', true, [line(1, 'copied'), line(2, 'failed')]],
    ['a copy that was removed', null, false, [line(1, 'copied'), line(2, 'removed')]],
    ['what was equal before', null, false, [line(1, 'skipped')]],
    ['a copy without an ETag', null, false, [line(1, 'copied', { targetEtag: '' })]],
    ['another migration’s copy', 'etag-1', false, [line(1, 'copied', OTHER), line(2, 'skipped')]],
    [
      'a copy that another one skips',
      'etag-1',
      false,
      [line(1, 'copied'), line(2, 'skipped', OTHER)],
    ],
    [
      'a copy that another one replaced',
      'etag-2',
      false,
      [line(1, 'copied'), line(2, 'copied', OTHER)],
    ],
    [
      'a copy that another one removed',
      null,
      false,
      [line(1, 'copied'), line(2, 'removed', OTHER)],
    ],
    [
      'a copy that another one failed to copy',
      'etag-1',
      true,
      [line(1, 'copied'), line(2, 'failed', OTHER)],
    ],
    ['another source’s copy', null, false, [line(1, 'copied', ELSEWHERE)]],
    [
      'a copy that another source’s move skips',
      null,
      false,
      [line(1, 'copied'), line(2, 'skipped', ELSEWHERE)],
    ],
    [
      'a copy that another source’s move found occupied',
      'etag-1',
      true,
      [line(1, 'copied'), line(2, 'failed', ELSEWHERE)],
    ],
  ] as [string, string | null, boolean, LineOfKey[]][])
    it(`of ${what} has ${written === null ? 'no object of ours' : `ours as ${written}`}`, () => {
      const history = toHistory(lines, OWN);
      assert.equal(history.written?.targetEtag ?? null, written);
      assert.equal(history.isRemovable, isRemovable);
    });

  it('has the migration’s own latest line, and the one that holds the object', () => {
    const lines = [line(1, 'copied'), line(2, 'failed'), line(3, 'copied', OTHER)];
    const { latest, held } = toHistory(lines, OWN);
    assert.deepEqual([latest?.outcome, held?.targetEtag], ['failed', 'etag-1']);
    assert.equal(toHistory([...lines, line(4, 'removed')], OWN).held, null);
  });

  for (const [what, isReleased, lines] of [
    ['a copy up to the release', true, [line(1, 'copied', { isReleased: true })]],
    ['a copy after it', false, [line(1, 'copied')]],
    [
      'what had failed last',
      true,
      [line(1, 'copied', { isReleased: true }), line(2, 'failed', { isReleased: true })],
    ],
    [
      'what had been removed',
      false,
      [line(1, 'copied', { isReleased: true }), line(2, 'removed', { isReleased: true })],
    ],
    [
      'what was removed later',
      true,
      [line(1, 'skipped', { isReleased: true }), line(2, 'removed')],
    ],
    [
      'another migration’s',
      true,
      [line(1, 'skipped', { ...ELSEWHERE, isReleased: true }), line(2, 'copied')],
    ],
  ] as [string, boolean, LineOfKey[]][])
    it(`is ${isReleased ? '' : 'not '}released by ${what}`, () => {
      assert.equal(toHistory(lines, OWN).isReleased, isReleased);
    });
});
