import assert from 'node:assert/strict';
import { addSeconds } from '../../../domain/common/time.ts';
import {
  estimateRelocation,
  FileSums,
  freeEgressGb,
} from '../../../domain/relocations/estimate.ts';
import { drainEnd, selectionOf } from '../../../domain/relocations/relocation.ts';
import { priceBook } from '../price-book.ts';

const NOW = new Date('2026-11-29T12:00:00.000Z');
const DAY_SECONDS = 86_400;
const GIB = 2 ** 30;
const AWS = { provider: 'aws', bucketName: 'a', region: 'us-east-1' };
const R2 = { provider: 'r2', bucketName: 'r', region: 'auto' };
const B2 = { provider: 'b2', bucketName: 'b', region: 'us-west-004' };

describe('the estimate of a relocation', () => {
  const sum = (count: number, sizeBytes: number) => {
    const sums = new FileSums(priceBook, NOW);
    for (let n = 0; n < count; n += 1) sums.add({ sizeBytes, createdAt: NOW });
    return sums.list();
  };

  it('has the lines of the quote, and the storage of the files at both places', () => {
    const estimate = estimateRelocation(priceBook, { from: AWS, to: R2 }, sum(1_000, GIB), 0);
    assert.deepEqual(estimate, {
      files: 1_000,
      bytes: 1_000 * GIB,
      quote: {
        egressUsd: 90,
        // A GET of each, and one page of a listing.
        sourceRequestsUsd: 0.000405,
        retrievalUsd: 0,
        earlyDeletionUsd: 0,
        // Each in 16 parts, with a request to begin and one to complete.
        destinationRequestsUsd: 0.081,
        transitionUsd: 0,
        totalUsd: 90.081405,
        totalWithExitWaiverUsd: 0.081405,
      },
      monthlyBeforeUsd: 23,
      // R2 counts in decimal GB.
      monthlyAfterUsd: 16.106127,
    });
  });

  it('lets the egress of B2 cost nothing up to three times what is stored there', () => {
    const groups = sum(10, 1e9);
    const stored = 10e9;
    assert.equal(freeEgressGb(priceBook, B2, stored), 30);
    const free = estimateRelocation(priceBook, { from: B2, to: R2 }, groups, 30);
    assert.equal(free.quote.egressUsd, 0);
    const partly = estimateRelocation(priceBook, { from: B2, to: R2 }, groups, 4);
    assert.equal(partly.quote.egressUsd, 0.06);
  });

  it('is 0 for no files', () => {
    const { files, quote } = estimateRelocation(priceBook, { from: AWS, to: R2 }, [], 0);
    assert.deepEqual([files, quote.totalUsd, quote.sourceRequestsUsd], [0, 0, 0]);
  });
});

describe('an old object', () => {
  const times = { downloadUrlSeconds: 3_600, relocationDrainSeconds: 60 };

  it('waits for a download URL given out at the move', () => {
    const file = { urlExpiresAt: addSeconds(NOW, -10) };
    assert.deepEqual(drainEnd(file, times, NOW), addSeconds(NOW, 3_660));
  });

  it('waits for a PUT URL that ends later', () => {
    const file = { urlExpiresAt: addSeconds(NOW, 7_200) };
    assert.deepEqual(drainEnd(file, times, NOW), addSeconds(NOW, 7_260));
  });
});

describe('the files of a relocation', () => {
  it('are those of an age and priority that were completed before it began', () => {
    assert.deepEqual(selectionOf({ select: {}, startedAt: NOW }), {
      createdBefore: NOW,
      completedBefore: NOW,
    });
    const select = { priority: 'archive', minAgeDays: 30, fileIds: ['a'] } as const;
    assert.deepEqual(selectionOf({ select, startedAt: NOW }), {
      createdBefore: addSeconds(NOW, -30 * DAY_SECONDS),
      completedBefore: NOW,
      priority: 'archive',
      fileIds: ['a'],
    });
  });
});
