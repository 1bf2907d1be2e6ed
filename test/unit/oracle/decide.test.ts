import * as fc from 'fast-check';
import { decide } from '../../../domain/decision/decide.ts';
import { priceBook } from '../price-book.ts';
import { arbitraryListing } from '../../oracle/arbitrary.ts';
import { compareDecision, showDifferences } from '../../oracle/compare.ts';
import { expectedOf } from '../../oracle/expected.ts';
import { inventoryOf } from '../../oracle/inventory.ts';
import type { Listing } from '../../oracle/listing.ts';

const RUNS = 150;

describe('decide', () => {
  it('agrees with the exact second computation of any listing, to the micro-dollar', () => {
    fc.assert(fc.property(arbitraryListing(), agrees), { numRuns: RUNS });
  });
});

function agrees(listing: Listing): void {
  const { startedAt, configured, minMonthlySavingsUsd, horizonMonths } = listing;
  const decision = decide({
    startedAt,
    buckets: inventoryOf(listing),
    source: 'aws',
    configured,
    priceBook,
    horizonMonths,
    minMonthlySavingsUsd,
  });
  const found = compareDecision(decision, expectedOf(listing));
  if (found.length > 0) throw new Error(showDifferences(found));
}
