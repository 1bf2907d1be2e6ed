import assert from 'node:assert/strict';
import type { Selector } from '../../../domain/decision/types.ts';
import {
  deriveRecommendationId,
  RECOMMENDATION_STATUSES,
  recommendationStatusAt,
} from '../../../domain/recommendations/recommendation.ts';

const SCAN = '7e3b1f34-6c1f-4b9f-9a35-0d2d3f8f7a10';
const AGES = { minAgeDays: null, maxAgeDays: null };
const ALL: Selector = { prefix: null, storageClass: null, ...AGES, minSizeBytes: null };
const MOVE = { kind: 'move', bucket: 'b', selector: ALL } as const;

const NOW = new Date('2026-11-20T12:00:00.000Z');
const EARLIER = new Date(NOW.getTime() - 1);
const LATER = new Date(NOW.getTime() + 1);

describe('the id of a recommendation', () => {
  // spec: recommendation.id
  it('is a UUID of version 5, the same for the same recommendation of the same scan', () => {
    const id = deriveRecommendationId(SCAN, MOVE);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(deriveRecommendationId(SCAN, { ...MOVE }), id);
  });

  // spec: recommendation.id
  it('differs where anything of what it says differs', () => {
    const selectors: Partial<Selector>[] = [
      { prefix: 'a/' },
      { storageClass: 'a/' },
      { minAgeDays: 30 },
      { maxAgeDays: 30 },
      { minSizeBytes: 30 },
    ];
    const others = [
      MOVE,
      { ...MOVE, kind: 'change_class' as const },
      { ...MOVE, bucket: 'c' },
      ...selectors.map((one) => Object.assign({}, MOVE, { selector: { ...ALL, ...one } })),
    ];
    const ids = others.map((each) => deriveRecommendationId(SCAN, each));
    ids.push(deriveRecommendationId(SCAN.replace('7', '8'), MOVE));
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe('the status of a recommendation', () => {
  it('is expired from the moment on at which an open one expires, and as stored otherwise', () => {
    for (const status of RECOMMENDATION_STATUSES) {
      const at = (expiresAt: Date) => recommendationStatusAt({ status, expiresAt }, NOW);
      const ended = status === 'open' ? 'expired' : status;
      assert.deepEqual([LATER, NOW, EARLIER].map(at), [status, ended, ended]);
    }
  });
});
