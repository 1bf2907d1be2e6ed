import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { LEFT_ALONE_CODES, RISK_CODES } from '../../../domain/decision/types.ts';
import { PRICE_LINES } from '../../../domain/bill/usage-types.ts';
import { arbitraryListing } from '../../oracle/arbitrary.ts';
import { agreed, agreedAmongMore, listingAmongMore, MORE_SOURCES } from './listings.ts';

/** The same accounts in each run, and others than those of `random.test.ts`. */
const SAMPLES = 300;

describe('sampled listings, decided as the second computation says,', () => {
  it('cover moves from and to all kinds of stores, and what speaks against them', () => {
    const met = new Set<string>();
    for (const listing of fc.sample(listingAmongMore, { numRuns: SAMPLES, seed: 5 })) {
      const { recommendations } = agreedAmongMore(listing);
      for (const { kind, options, recommendedProvider } of recommendations) {
        if (kind !== 'move') continue;
        met.add(`from ${listing.source}`).add(`to ${recommendedProvider}`);
        for (const { code } of options.flatMap(({ blockers }) => blockers)) met.add(code);
        met.add(`quote of ${options[0]?.quote.egressUsd === 0 ? 'free' : 'paid'} egress`);
      }
    }
    const wanted = [
      ...MORE_SOURCES.map((provider) => `from ${provider}`),
      ...['b2', 'cellar'].map((provider) => `to ${provider}`),
      'egress_refused',
      'below_floor',
      'object_too_large',
      'quote of free egress',
      'quote of paid egress',
    ];
    const missing = wanted.filter((what) => !met.has(what));
    assert.deepEqual(missing, []);
  });

  it('cover every kind of answer, verdict, profile, finding, reads and own price', () => {
    const met = new Set<string>();
    for (const listing of fc.sample(arbitraryListing(), { numRuns: SAMPLES, seed: 20_261_120 })) {
      const { summary, buckets, recommendations, decisionReport } = agreed(listing);
      met.add(decisionReport.verdict).add(decisionReport.workloadProfile);
      for (const { code } of decisionReport.leftAlone) met.add(`left alone: ${code}`);
      for (const { recommendedStorageClass: to } of recommendations) met.add(`change to ${to}`);
      for (const { code } of recommendations.flatMap(({ risks }) => risks))
        met.add(`risk: ${code}`);
      for (const { kind, selector, blockers, recommendedProvider } of recommendations) {
        if (kind === 'move') met.add(`move to ${recommendedProvider}`);
        met.add(`${kind} of ${selector.prefix === null ? 'the whole' : 'a prefix'}`);
        for (const { code } of blockers) met.add(`blocked: ${code}`);
      }
      for (const { code } of summary.findings) met.add(code);
      for (const { code } of buckets.flatMap(({ findings }) => findings)) met.add(code);
      for (const { reads } of buckets) met.add(`reads: ${reads?.source}`);
      for (const { line } of summary.bill?.factors ?? []) met.add(`own price: ${line}`);
      if (summary.bill !== null) met.add(`explained: ${(summary.bill.explainedShare ?? 1) >= 0.7}`);
    }
    const wanted = [
      ...'migrate migrate_partly optimize_in_place stay nothing_read active archive cold mixed'.split(
        ' ',
      ),
      ...'needs_restore incomplete_multipart_uploads old_versions small_objects'.split(' '),
      ...'empty_bucket no_abort_multipart_rule no_lifecycle_rule copied_not_yet_released'.split(
        ' ',
      ),
      ...'no_selector below_minimum measure_reads'.split(' '),
      'move of a prefix',
      ...['r2', 'b2'].map((provider) => `move to ${provider}`),
      'change_class of a prefix',
      ...['move', 'change_class', 'abort_multipart_uploads', 'expire_old_versions'].map(
        (kind) => `${kind} of the whole`,
      ),
      ...['needs_restore', 'key_too_long', 'object_too_large'].map((code) => `blocked: ${code}`),
      ...['measured', 'apportioned', 'assumed'].map((source) => `reads: ${source}`),
      ...PRICE_LINES.map((line) => `own price: ${line}`),
      ...LEFT_ALONE_CODES.map((code) => `left alone: ${code}`),
      ...RISK_CODES.map((code) => `risk: ${code}`),
      ...'STANDARD_IA GLACIER_IR INTELLIGENT_TIERING DEEP_ARCHIVE'
        .split(' ')
        .map((name) => `change to ${name}`),
      'explained: true',
      'explained: false',
    ];
    const missing = wanted.filter((what) => !met.has(what));
    assert.deepEqual(missing, []);
  });
});
