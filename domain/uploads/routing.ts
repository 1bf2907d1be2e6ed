import {
  AWS,
  UPLOAD_CLASS,
  type ProviderKind,
  type ProviderName,
  type StoreLocation,
  type Priority,
} from '../providers/catalogue.ts';
import { fileMonthlyCostUsd, type AccessProfile } from '../pricing/cost.ts';
import { formatPercent } from '../../shared/amounts.ts';
import { AppError } from '../common/errors.ts';
import { roundUsd, toMicroUsd, type MicroUsd } from '../pricing/money.ts';
import { requireSheet, type PriceBook } from '../pricing/price-book.ts';

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
  readonly configured: readonly RoutedStore[];
}

export interface RoutedStore extends Pick<StoreLocation, 'provider' | 'region'> {
  /** It refuses an upload without a digest, as the parts of a file have none. */
  readonly demandsDigest?: boolean;
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

/** A store of the catalogue, for the file in question. */
interface RoutedClass {
  readonly provider: ProviderName;
  readonly title: string;
  readonly kind: ProviderKind;
  readonly isConfigured: boolean;
  readonly costUsd: number;
  /** The largest file that it takes as this one is uploaded. */
  readonly limitBytes: number;
  /** It takes no file in parts, and this one is uploaded so. */
  readonly refusesParts: boolean;
}

/**
 * Chooses the store for one file. Deterministic for the same request and price book.
 *
 * | priority  | first choice               | if that is missing, or does not take the file    |
 * |-----------|----------------------------|--------------------------------------------------|
 * | `hot`     | the cheapest edge store    | the cheapest configured one, with a warning      |
 * | `archive` | the cheapest archive store | the cheapest configured one, with a warning      |
 * | `cold`    | the cheapest configured    | the next cheapest, with a warning                |
 *
 * "Cheapest" is by the access profile of the priority; ties go to the catalogue's order. For a
 * kind of store the cheapest configured one comes first; without one, the catalogue's cheapest.
 * What a store charges at least a month does not count: one file does not decide it.
 *
 * @throws AppError `no_providers_configured` if the account has no store at all.
 * @throws AppError `file_too_large` if no configured store takes the file.
 * @throws AppError `provider_not_usable` if none of those that would takes it in parts.
 */
export function route(question: RoutingQuestion, book: PriceBook): Routing {
  const { priority, sizeBytes, isMultipart } = question;
  const all = book.catalogue.providers.map((name) => toCandidate(question, book, name));
  const configured = all.filter(({ isConfigured }) => isConfigured);
  const cheapest = findCheapest(configured);
  if (!cheapest) throw new AppError('no_providers_configured');
  const large = configured.filter(({ limitBytes }) => sizeBytes <= limitBytes);
  if (large.length === 0) throw new AppError('file_too_large', tooLarge(configured, isMultipart));
  const fitting = large.filter(({ refusesParts }) => !refusesParts);
  const cheapestFitting = findCheapest(fitting);
  if (!cheapestFitting) throw new AppError('provider_not_usable', withoutParts(large));

  const firstKind = PREFERRED_KINDS[priority];
  const isFirstKind = ({ kind }: RoutedClass) => kind === firstKind;
  const preferred =
    findCheapest(configured.filter(isFirstKind)) ??
    findCheapest(all.filter(isFirstKind)) ??
    cheapest;
  const chosen = findCheapest(fitting.filter(isFirstKind)) ?? cheapestFitting;
  const among =
    chosen === cheapest && !firstKind
      ? 'of this size'
      : 'among the configured stores that can take this one';

  return {
    decision: {
      provider: chosen.provider,
      preferredProvider: preferred.provider,
      priority,
      reason: isFirstKind(chosen)
        ? `The priority decides: ${chosen.title} comes first for ${priority} files${priceOfPriority(chosen, cheapestFitting)}.`
        : `${chosen.title} costs least for ${priority} files ${among}.`,
      costs: configured.map(({ provider, costUsd }) => ({
        provider,
        monthlyCostUsd: roundUsd(costUsd),
      })),
      priceBook: book.version,
      ...(chosen === preferred ? {} : { warning: warningFor(question, chosen, preferred) }),
    },
    savedVsAws: toMicroUsd(toCandidate(question, book, AWS).costUsd - chosen.costUsd),
  };
}

/** At the prices of the region that is configured, else of the default region. */
function toCandidate(
  { priority, sizeBytes, isMultipart, configured }: RoutingQuestion,
  book: PriceBook,
  provider: ProviderName,
): RoutedClass {
  const { title, kind, limits, defaultRegion } = book.catalogue.entry(provider);
  const own = configured.find((store) => store.provider === provider);
  const sheet = requireSheet(book, provider, own?.region ?? defaultRegion, UPLOAD_CLASS);
  return {
    provider,
    title,
    kind,
    isConfigured: own !== undefined,
    costUsd: fileMonthlyCostUsd(sheet, sizeBytes, PROFILES[priority]),
    limitBytes: isMultipart ? limits.objectBytes : limits.singlePutBytes,
    refusesParts: isMultipart && own?.demandsDigest === true,
  };
}

/** Candidates come in the catalogue's order, so the first of equals wins. */
function findCheapest(candidates: readonly RoutedClass[]): RoutedClass | undefined {
  return candidates.reduce<RoutedClass | undefined>(
    (best, candidate) => (best && best.costUsd <= candidate.costUsd ? best : candidate),
    undefined,
  );
}

/** What it costs that the priority decides, not the cost. */
function priceOfPriority(chosen: RoutedClass, cheapest: RoutedClass): string {
  if (cheapest.costUsd >= chosen.costUsd) return ', and costs least';
  return `, although ${cheapest.title} would cost ${formatPercent(1 - cheapest.costUsd / chosen.costUsd)} less`;
}

function warningFor(
  question: RoutingQuestion,
  chosen: RoutedClass,
  preferred: RoutedClass,
): string {
  return `${named(preferred)} is preferred for ${question.priority} files but ${whyNot(question, preferred)}; using ${named(chosen)} instead.`;
}

function whyNot({ isMultipart, sizeBytes }: RoutingQuestion, passedOver: RoutedClass): string {
  const { isConfigured, limitBytes } = passedOver;
  if (!isConfigured) return 'is not configured';
  if (sizeBytes > limitBytes)
    return `does not take a file of this size${isMultipart ? '' : ' in one PUT'}`;
  return 'takes no file in parts: its bucket demands a digest with each upload';
}

function named({ title, provider }: RoutedClass): string {
  return `${title} (${provider})`;
}

function withoutParts(stores: readonly RoutedClass[]): string {
  return `${stores.map(named).join(', ')}: the bucket demands a digest with each upload, as one with default Object Lock retention does, and takes no file in parts. Upload it by a single PUT with contentMd5.`;
}

function tooLarge(configured: readonly RoutedClass[], isMultipart: boolean): string {
  const limit = Math.max(...configured.map(({ limitBytes }) => limitBytes));
  if (isMultipart) return `The configured providers take objects of at most ${limit} bytes.`;
  return `The configured providers take at most ${limit} bytes in a single PUT; upload in parts.`;
}
