import assert from 'node:assert/strict';
import {
  RECOMMENDATION_STATUSES,
  recommendationStatusAt,
} from '../../../domain/recommendation/recommendation.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const EARLIER = new Date(NOW.getTime() - 1);
const LATER = new Date(NOW.getTime() + 1);

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
