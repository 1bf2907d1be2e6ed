import type { Quote } from './answer.ts';
import type { Asker, CleanUpAnswer } from './answers.ts';
import type { Moved } from './moved.ts';
import type { Scenarios } from './rates.ts';
import { breakEvenMonths } from './rounding.ts';
import { count, months, size, usd } from './words.ts';
import { savingsUsd, type Offer } from './weighing.ts';

/** Why a recommendation is made, in sentences with their figures. */

export interface MoveReasonTerms {
  readonly asker: Asker;
  readonly taken: Offer;
  readonly stay: Scenarios;
  readonly quote: Quote;
  readonly horizonMonths: number;
  readonly moved: Moved;
}

export function moveReasons(terms: MoveReasonTerms): readonly string[] {
  const { asker, taken, stay, quote, horizonMonths: horizon, moved } = terms;
  const { monthly, target } = taken;
  const { provider } = target;
  const isConfigured = asker.configured.includes(provider);
  const pays = paysAfter(quote.totalUsd, savingsUsd(stay, monthly));
  return [
    `${provider} stores it for ${usd(monthly.none)} USD a month instead of ${usd(stay.none)}.`,
    `Moving costs ${usd(quote.totalUsd)} USD once, of which ${usd(quote.egressUsd)} is egress${pays}.`,
    overHorizon(horizon, monthly.expected * horizon + quote.totalUsd, stay.expected * horizon),
    ...(isConfigured ? [] : [`${provider} has to be configured first.`]),
    ...(moved.leftObjects > 0
      ? [`${count(moved.leftObjects, 'object')} of classes without a price sheet stay.`]
      : []),
  ];
}

export interface ChangeReasonTerms {
  readonly storageClass: string;
  readonly stay: Scenarios;
  readonly placed: Scenarios;
  readonly transitionUsd: number;
  readonly horizonMonths: number;
}

export function changeReasons(terms: ChangeReasonTerms): readonly string[] {
  const { storageClass, stay, placed, transitionUsd, horizonMonths: horizon } = terms;
  const pays = paysAfter(transitionUsd, savingsUsd(stay, placed));
  return [
    `${storageClass} stores it for ${usd(placed.none)} USD a month instead of ${usd(stay.none)}, and it can be read at once.`,
    `The change costs ${usd(transitionUsd)} USD once${pays}.`,
    overHorizon(horizon, placed.expected * horizon + transitionUsd, stay.expected * horizon),
  ];
}

export function cleanUpReasons(answer: CleanUpAnswer): readonly string[] {
  const { objects, bytes, savingsUsd: saved } = answer;
  switch (answer.kind) {
    case 'abort_multipart_uploads':
      return [
        `The parts of ${count(objects, 'unfinished upload')} (${size(bytes)}) cost ${usd(saved)} USD a month and are no object that anybody can read.`,
      ];
    case 'expire_old_versions':
      return [`${count(objects, 'old version')} (${size(bytes)}) cost ${usd(saved)} USD a month.`];
  }
}

function paysAfter(onceUsd: number, saved: number): string {
  const after = breakEvenMonths(onceUsd, saved);
  return after === null ? '' : `; the savings have paid for it after ${months(after)}`;
}

function overHorizon(horizon: number, placedUsd: number, stayUsd: number): string {
  return `Over ${months(horizon)} at the expected reads it costs ${usd(placedUsd)} USD in all; staying costs ${usd(stayUsd)}.`;
}
