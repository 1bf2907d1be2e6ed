import {
  escapeText,
  QUOTE_LINES,
  SWITCHING_LAW,
  describeScenarios,
  formatBytes,
  formatMoney,
  formatPayback,
  formatNumber,
  onceUsd,
  recommendedOption,
  type HowTo,
  type PlacementOption,
  type Provider,
  type Quote,
  type Recommendation,
} from '@storage-routing/client';
import { escapeLines } from '../io/text.ts';
import { whatText } from './recommendations.ts';

/**
 * Formats what an approval accepts: the move, one-time cost, monthly saving, break-even, what
 * waiting would save if it does, and caveats.
 */
export function quoteText(
  move: Recommendation,
  option: PlacementOption,
  source: Provider,
  nowMs: number,
): string {
  return [
    `Move        ${whatMoves(move)} from ${source} to ${option.provider} (${escapeText(option.storageClass)})`,
    `Costs once  ${onceText(option.quote)}`,
    savesLine(option.monthlySavingsUsd, move.currentMonthlyCostUsd, option.monthlyCostUsd),
    `Paid back   ${paidBackText(option)}`,
    ...waitingLines(option, nowMs),
    `Beware      ${bewareText(move, option)}`,
  ].join('\n');
}

function savesLine(savedUsd: number, nowUsd: number, thenUsd: number): string {
  return `Saves       ${formatMoney(savedUsd)} a month (now ${formatMoney(nowUsd)}, then ${formatMoney(thenUsd)})`;
}

function whatMoves({ bucket, region, selector, objects, bytes }: Recommendation): string {
  const place = `${bucket}/${selector.prefix ?? ''}`;
  return `${escapeText(place)} (${escapeText(region)}): ${formatNumber(objects)} objects, ${formatBytes(bytes)},`;
}

export function onceText(quote: Quote): string {
  const parts = QUOTE_LINES.filter(({ key }) => quote[key] !== 0).map(
    ({ short, key }) => `${short} ${formatMoney(quote[key])}`,
  );
  return `${formatMoney(quote.totalUsd)}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}

function paidBackText(option: PlacementOption): string {
  const { breakEvenMonths, breakEvenMonthsWithExitWaiver: waived } = option;
  const withWaiver = waived === null ? '' : ` (${formatPayback(waived)} if the egress is waived)`;
  return `${formatPayback(breakEvenMonths)}${withWaiver}`;
}

function waitingLines({ waiting }: PlacementOption, nowMs: number): string[] {
  if (waiting === null) return [];
  const { until, savesUsd } = waiting;
  if (nowMs >= Date.parse(until))
    return [
      `Egress      is not due since ${until} for customers whom ${SWITCHING_LAW} covers: ask for the waiver first; the act covers switching, which a partial move may not be`,
    ];
  return [
    `Waiting     until ${until} saves ${formatMoney(savesUsd)}: from then on ${SWITCHING_LAW} forbids charging customers in the Union for switching, which a partial move may not be`,
  ];
}

function bewareText({ blockers }: Recommendation, option: PlacementOption): string {
  const { configured, provider } = option;
  const against = [
    ...(configured ? [] : [`${provider} is not configured (srs providers set ${provider})`]),
    ...merge(blockers, option.blockers).map(
      ({ message, objects }) => `${escapeText(message)} (${formatNumber(objects)} objects)`,
    ),
    // Tags and locks are known only once the objects are listed; the migration counts them.
    'tags, object locks and ACLs are not copied; the source stays as it is until you delete it',
  ];
  return against.join('; ');
}

type Blockers = Recommendation['blockers'];

/** Those of the option, and those of the recommendation that it does not repeat. */
function merge(blockers: Blockers, own: Blockers): Blockers {
  const isRepeated = ({ code }: Blockers[number]) => own.some((each) => each.code === code);
  return [...own, ...blockers.filter((blocker) => !isRepeated(blocker))];
}

/** Formats what a person is asked to approve, and where. The page shows the commands. */
export function proposalText(
  recommendation: Recommendation,
  { source, url, nowMs }: { source: Provider; url: string; nowMs: number },
): string {
  const { howTo, dismissed } = recommendation;
  const option = recommendedOption(recommendation);
  const { monthlySavingsUsd, currentMonthlyCostUsd, optimalMonthlyCostUsd } = recommendation;
  const isMove = howTo === null && option !== undefined;
  return [
    escapeText(whatText(recommendation)),
    ...(isMove
      ? [quoteText(recommendation, option, source, nowMs)]
      : [
          `Costs once  ${formatMoney(onceUsd(recommendation))}`,
          savesLine(monthlySavingsUsd, currentMonthlyCostUsd, optimalMonthlyCostUsd),
          `How         ${escapeText(howTo?.summary ?? '')}`,
        ]),
    `A month     ${escapeText(describeScenarios(recommendation.scenarios))}`,
    ...(dismissed === null
      ? []
      : [`Dismissed   until ${dismissed.until}: ${escapeText(dismissed.reason)}`]),
    '',
    isMove
      ? 'Nothing is approved yet. A person reads and approves it here:'
      : 'Nothing is changed yet. A person carries it out in the own account, as this page says:',
    url,
  ].join('\n');
}

/** Formats how to carry out a recommendation in the own account; the commands can be pasted. */
export function howToText(
  { kind, bucket, region }: Pick<Recommendation, 'kind' | 'bucket' | 'region'>,
  { summary, commands }: HowTo,
): string {
  return [
    `${kind} in ${escapeText(bucket)} (${escapeText(region)}): you carry it out in your own account.`,
    escapeText(summary),
    ...commands.map((command) => `\n${escapeLines(command)}`),
  ].join('\n');
}
