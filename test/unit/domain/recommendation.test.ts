import assert from 'node:assert/strict';
import type { Selector } from '../../../domain/decision/types.ts';
import {
  deriveRecommendationId,
  RECOMMENDATION_STATUSES,
  recommendationStatusAt,
} from '../../../domain/recommendation/recommendation.ts';

const SCAN = '7e3b1f34-6c1f-4b9f-9a35-0d2d3f8f7a10';
const ALL: Selector = {
  prefix: null,
  storageClass: null,
  minAgeDays: null,
  maxAgeDays: null,
  minSizeBytes: null,
};
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
    const others = [
      MOVE,
      { ...MOVE, kind: 'change_class' as const },
      { ...MOVE, bucket: 'c' },
      { ...MOVE, selector: { ...ALL, prefix: 'a/' } },
      { ...MOVE, selector: { ...ALL, storageClass: 'a/' } },
      { ...MOVE, selector: { ...ALL, minAgeDays: 30 } },
      { ...MOVE, selector: { ...ALL, maxAgeDays: 30 } },
      { ...MOVE, selector: { ...ALL, minSizeBytes: 30 } },
    ];
    const ids = others.map((each) => deriveRecommendationId(SCAN, each));
    ids.push(deriveRecommendationId(SCAN.replace('7', '8'), MOVE));
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe('the status of a recommendation', () => {
  it('is expired from the moment on at which an open one expires', () => {
    const statusOf = (expiresAt: Date) =>
      recommendationStatusAt({ status: 'open', expiresAt }, NOW);
    assert.deepEqual([LATER, NOW, EARLIER].map(statusOf), ['open', 'expired', 'expired']);
  });

  it('is as stored otherwise', () => {
    for (const status of RECOMMENDATION_STATUSES.filter((each) => each !== 'open'))
      for (const expiresAt of [EARLIER, LATER])
        assert.equal(recommendationStatusAt({ status, expiresAt }, NOW), status);
  });
});
