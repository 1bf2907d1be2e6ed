import {
  AWS,
  UPLOAD_CLASS,
  type ProviderKind,
  type ProviderName,
  type StoreLocation,
  type Priority,
} from '../provider/catalogue.ts';
import { fileMonthlyCostUsd, type AccessProfile } from '../pricing/cost.ts';
import { formatPercent } from '../../sdk/src/figures.ts';
import { AppError } from '../common/errors.ts';
import { roundUsd, toMicroUsd, type MicroUsd } from '../pricing/money.ts';
import type { PriceBook } from '../pricing/price-book.ts';

const PROFILES: Readonly<Record<Priority, AccessProfile>> = {
  hot: { monthsKept: 1, fullReadsPerMonth: 1 },
  cold: { monthsKept: 12, fullReadsPerMonth: 0.1 },
  archive: { monthsKept: 36, fullReadsPerMonth: 0.01 },
};

/** The kind that is the first choice at any cost; the cost alone decides for `cold`. */
const PREFERRED_KINDS: Readonly<Partial<Record<Priority, ProviderKind>>> = {
  hot: 'edge',
  archive: 'archive',
};

export interface RoutingQuestion {
  readonly priority: Priority;
  readonly sizeBytes: number;
  /** Uploaded in parts: a store's largest object is the limit, not its largest single PUT. */
  readonly isMultipart: boolean;
  /** The account's stores, in any order. */
  readonly configured: readonly Pick<StoreLocation, 'provider' | 'region'>[];
}

export interface ProviderCost {
  readonly provider: ProviderName;
  readonly monthlyCostUsd: number;
}

/** The choice with its reason, as stored with the file. */
export interface RoutingDecision {
  readonly provider: ProviderName;
  /** The choice if it were configured and took the file's size. */
  readonly preferredProvider: ProviderName;
  readonly priority: Priority;
  readonly reason: string;
  /** Every configured provider, in the catalogue's order. */
  readonly costs: readonly ProviderCost[];
  readonly priceBook: string;
  readonly warning?: string;
}

export interface Routing {
  readonly decision: RoutingDecision;
  /** Against the hyperscaler, per month; negative if the chosen store costs more. */
  readonly savedVsAws: MicroUsd;
}

interface Candidate {
  readonly provider: ProviderName;
  readonly costUsd: number;
  readonly takesSize: boolean;
}

/**
 * Chooses the store for one file. Deterministic for the same request and price book.
 *
 * | priority  | first choice               | if that is missing or too small for the file     |
 * |-----------|----------------------------|--------------------------------------------------|
 * | `hot`     | the cheapest edge store    | the cheapest configured one, with a warning      |
 * | `archive` | the cheapest archive store | the cheapest configured one, with a warning      |
 * | `cold`    | the cheapest configured    | the next cheapest, with a warning                |
 *
 * "Cheapest" is by the access profile of the priority; ties go to the catalogue's order. Of a kind, the cheapest of the
 * configured stores comes first; without one, the cheapest of the catalogue. What a store charges at least a month does
 * not count: one file does not decide it.
 *
 * @throws AppError `no_providers_configured` if the account has no store at all.
 * @throws AppError `file_too_large` if no configured store takes the file.
 */
export function route(question: RoutingQuestion, book: PriceBook): Routing {
  const { priority, isMultipart } = question;
  const candidates = listCandidates(question, book);
  const cheapest = findCheapest(candidates);
  if (!cheapest) throw new AppError('no_providers_configured');
  const cheapestFitting = findCheapest(candidates.filter((candidate) => candidate.takesSize));
  if (!cheapestFitting) {
    const limit = Math.max(
      ...candidates.map(({ provider }) => sizeLimit(book, provider, isMultipart)),
    );
    throw new AppError('file_too_large', tooLarge(limit, isMultipart));
  }

  const { catalogue } = book;
  const firstKind = PREFERRED_KINDS[priority];
  const isFirstKind = (provider: ProviderName) => catalogue.entry(provider).kind === firstKind;
  const ofFirstKind = candidates.filter(({ provider }) => isFirstKind(provider));
  const firstChoice =
    findCheapest(ofFirstKind) ??
    findCheapest(
      catalogue.providers.filter(isFirstKind).map((name) => toCandidate(question, book, name)),
    );
  const preferred = firstChoice?.provider ?? cheapest.provider;
  const fitting = candidates.find(({ provider, takesSize }) => provider === preferred && takesSize);
  const chosen =
    fitting ?? findCheapest(ofFirstKind.filter(({ takesSize }) => takesSize)) ?? cheapestFitting;
  const known = candidates.find((candidate) => candidate.provider === preferred);
  const { titleOf } = catalogue;
  const decidesPriority = isFirstKind(chosen.provider);

  return {
    decision: {
      provider: chosen.provider,
      preferredProvider: preferred,
      priority,
      reason: decidesPriority
        ? `The priority decides: ${titleOf(chosen.provider)} comes first for ${priority} files${priceOfPriority(titleOf, chosen, cheapestFitting)}.`
        : `${titleOf(chosen.provider)} costs least for ${priority} files ${chosen === cheapest && !firstKind ? 'of this size' : 'among the configured stores that can take this one'}.`,
      costs: candidates.map((each) => ({
        provider: each.provider,
        monthlyCostUsd: roundUsd(each.costUsd),
      })),
      priceBook: book.version,
      ...(fitting
        ? {}
        : {
            warning: warningFor(titleOf, question, chosen.provider, preferred, known !== undefined),
          }),
    },
    savedVsAws: toMicroUsd(
      chosen.provider === AWS ? 0 : costUsd(question, book, AWS) - chosen.costUsd,
    ),
  };
}

/** The configured providers, in the catalogue's order. */
function listCandidates(question: RoutingQuestion, book: PriceBook): readonly Candidate[] {
  return book.catalogue.providers
    .filter((name) => findRegion(question, name) !== undefined)
    .map((provider) => toCandidate(question, book, provider));
}

function toCandidate(
  question: RoutingQuestion,
  book: PriceBook,
  provider: ProviderName,
): Candidate {
  return {
    provider,
    costUsd: costUsd(question, book, provider),
    takesSize: question.sizeBytes <= sizeLimit(book, provider, question.isMultipart),
  };
}

function sizeLimit(book: PriceBook, provider: ProviderName, isMultipart: boolean): number {
  const { limits } = book.catalogue.entry(provider);
  return isMultipart ? limits.objectBytes : limits.singlePutBytes;
}

function costUsd(question: RoutingQuestion, book: PriceBook, provider: ProviderName): number {
  const { defaultRegion } = book.catalogue.entry(provider);
  const sheet = book.sheet(provider, findRegion(question, provider) ?? defaultRegion, UPLOAD_CLASS);
  return fileMonthlyCostUsd(sheet, question.sizeBytes, PROFILES[question.priority]);
}

function findRegion(question: RoutingQuestion, provider: ProviderName): string | undefined {
  return question.configured.find((store) => store.provider === provider)?.region;
}

/** Candidates come in the catalogue's order, so the first of equals wins. */
function findCheapest(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (best, candidate) => (best && best.costUsd <= candidate.costUsd ? best : candidate),
    undefined,
  );
}

type TitleOf = PriceBook['catalogue']['titleOf'];

/** What it costs that the priority decides, not the cost. */
function priceOfPriority(titleOf: TitleOf, chosen: Candidate, cheapest: Candidate): string {
  if (cheapest.costUsd >= chosen.costUsd) return ', and costs least';
  return `, although ${titleOf(cheapest.provider)} would cost ${formatPercent(1 - cheapest.costUsd / chosen.costUsd)} less`;
}

function warningFor(
  titleOf: TitleOf,
  { priority, isMultipart }: RoutingQuestion,
  chosen: ProviderName,
  preferred: ProviderName,
  configured: boolean,
): string {
  const first = `${titleOf(preferred)} (${preferred})`;
  const tooSmall = `does not take a file of this size${isMultipart ? '' : ' in one PUT'}`;
  const why = configured ? tooSmall : 'is not configured';
  return `${first} is preferred for ${priority} files but ${why}; using ${titleOf(chosen)} (${chosen}) instead.`;
}

function tooLarge(limit: number, isMultipart: boolean): string {
  if (isMultipart) return `The configured providers take objects of at most ${limit} bytes.`;
  return `The configured providers take at most ${limit} bytes in a single PUT; upload in parts.`;
}
