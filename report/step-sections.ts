import { AWS, type Catalogue } from '../domain/providers/catalogue.ts';
import { breakEvenMonths } from '../domain/decision/amounts.ts';
import { formatDay } from '../domain/common/format.ts';
import type { SwitchingChargeBan } from '../domain/pricing/price-data.ts';
import {
  recommendationStatusAt,
  type RecommendationRecord,
} from '../domain/recommendations/recommendation.ts';
import {
  describePayback,
  formatBytes,
  formatCount,
  formatMoney,
  formatPayback,
} from '../shared/amounts.ts';
import { confidenceLevel } from '../shared/audits.ts';
import {
  actionTitle,
  describeScenarios,
  describeSelector,
  foldSmall,
} from '../shared/recommendations.ts';
import {
  heading,
  list,
  paragraph,
  table,
  toInlines,
  type Block,
  type Inline,
  type Text,
} from './blocks.ts';
import { keyPrefixOf } from '../domain/decision/types.ts';
import { formatAmount, sumAmounts, type ReadingTerms, type Step, type Totals } from './steps.ts';

/** Where a step is shown, and what its store is called. */
interface StepTerms {
  /** Null: without a service, steps have no page and no command of its own. */
  readonly dashboardUrl: string | null;
  readonly catalogue: Catalogue;
}

/** First the steps without a move, then the moves, then all of them together. */
export function stepSections(
  steps: readonly Step[],
  totals: Totals,
  terms: StepTerms,
): readonly Block[] {
  const isMove = ({ recommendation: { kind } }: Step) => kind === 'move';
  const inPlace = steps.filter((step) => !isMove(step));
  const moves = steps.filter(isMove);
  const isBoth = inPlace.length > 0 && moves.length > 0;
  return [
    ...stepSection(
      'Quick wins',
      'You make these changes in your own account, and nothing is copied.',
      inPlace,
      terms,
    ),
    ...stepSection(
      `Moves, ${describePayback(monthsOf(moves))}`,
      `${terms.dashboardUrl === null ? 'The service copies' : 'We copy'} the objects after you have approved a move, never before. The source stays as it is, and is billed until you delete it there.`,
      moves,
      terms,
    ),
    ...(isBoth
      ? [
          paragraph({
            strong: `All steps together save ${formatMoney(totals.savedUsd)} a month and cost ${formatMoney(totals.onceUsd)} once.`,
          }),
        ]
      : []),
  ];
}

function stepSection(
  title: string,
  introduction: string,
  steps: readonly Step[],
  { dashboardUrl, catalogue }: StepTerms,
): readonly Block[] {
  if (steps.length === 0) return [];
  const { shown, folded } = foldSmall(steps, ({ saved }) => saved.usd);
  const rows: Text[][] = shown.map(({ recommendation, number, saved, once, paybackMonths }) => [
    dashboardUrl === null
      ? String(number)
      : {
          link: `${dashboardUrl}/recommendations/${recommendation.recommendationId}`,
          text: String(number),
        },
    actionTitle(recommendation, catalogue.titleOf),
    describePlace(recommendation),
    formatBytes(recommendation.bytes),
    formatAmount(saved),
    formatAmount(once),
    formatPayback(paybackMonths),
  ]);
  const sumRow = (what: string, of: readonly Step[]): Text[] => [
    '',
    what,
    '',
    '',
    formatAmount(sumAmounts(of.map(({ saved }) => saved))),
    formatAmount(sumAmounts(of.map(({ once }) => once))),
    formatPayback(monthsOf(of)),
  ];
  return [
    heading(title),
    paragraph(introduction),
    table(
      ['Step', 'What', 'Where', '#Size', '#Saves a month', '#Costs once', '#Paid back'],
      [
        ...rows,
        ...(folded.length > 0
          ? [
              sumRow(
                `${formatCount(folded.length, 'smaller step')}, below $1.00 a month each`,
                folded,
              ),
            ]
          : []),
        ...(steps.length > 1 ? [sumRow('Total', steps)] : []),
      ],
      steps.length > 1,
    ),
  ];
}

function monthsOf(steps: readonly Step[]): number | null {
  const [only, ...others] = steps;
  if (only && others.length === 0) return only.paybackMonths;
  return breakEvenMonths(
    sumAmounts(steps.map(({ once }) => once)).usd,
    sumAmounts(steps.map(({ saved }) => saved)).usd,
  );
}

/** The command of each step, its confidence, its blockers, and what a law means for its egress. */
export function howToSection(
  steps: readonly Step[],
  terms: ReadingTerms & StepTerms,
): readonly Block[] {
  if (steps.length === 0) return [];
  return [
    heading('How to carry out each step'),
    ...list(steps.flatMap((step) => stepNotes(step, terms))),
    ...(terms.dashboardUrl === null ? steps.flatMap((step) => commandSection(step, terms)) : []),
  ];
}

function stepNotes(
  step: Step,
  { now, switchingChargeBan: ban, catalogue, dashboardUrl }: ReadingTerms & StepTerms,
): readonly Text[] {
  const { recommendation, option, number } = step;
  const { kind, recommendationId: id, blockers, confidence, reasons } = recommendation;
  const begin: Inline[] = [{ strong: `Step ${number}:` }, ' '];
  const status = recommendationStatusAt(recommendation, now);
  const command: Inline[] =
    dashboardUrl === null
      ? [kind === 'move' ? 'the service carries it out.' : 'see below.']
      : status !== 'open'
        ? [`recommendation `, { code: id }, ` is ${status}.`]
        : kind === 'move'
          ? [{ code: `srs approve ${id} --target ${option?.provider ?? ''}` }, ' approves it.']
          : [{ code: `srs approve ${id}` }, ' prints the commands.'];
  return [
    [
      ...begin,
      `${actionTitle(recommendation, catalogue.titleOf)}, `,
      ...toInlines(describePlace(recommendation)),
      ': ',
      ...command,
      ` ${confidenceLevel(confidence)} confidence. ${reasons.at(-1) ?? ''}`,
    ],
    begin.concat(withstands(recommendation)),
    ...arrivalNotes(step, catalogue).map((note) => begin.concat(note)),
    ...recommendation.risks.map(({ message }) => begin.concat(message)),
    ...blockers.map(({ message }) => begin.concat(message)),
    ...(status === 'open' && kind === 'move'
      ? switchingNotes(step, ban, now).map((note) => begin.concat(note))
      : []),
  ];
}

/** The commands of a step without a move, in full: without a service, `srs` cannot print them. */
function commandSection(
  { recommendation, number }: Step,
  { catalogue }: StepTerms,
): readonly Block[] {
  const { howTo } = recommendation;
  if (!howTo) return [];
  const title = `Step ${number}: ${actionTitle(recommendation, catalogue.titleOf)}, `;
  return [
    heading([title, ...toInlines(describePlace(recommendation))], 3),
    paragraph(howTo.summary),
    ...howTo.commands.map((text): Block => ({ kind: 'commands', text })),
  ];
}

/** What a move expects of those that write to its place. */
function arrivalNotes(
  { recommendation: { arrivals }, option }: Step,
  catalogue: Catalogue,
): readonly string[] {
  if (!option || !arrivals || arrivals.objectsPerMonth === 0) return [];
  const { objectsPerMonth, bytesPerMonth } = arrivals;
  return [
    `each month ${formatCount(objectsPerMonth, 'object')} (${formatBytes(bytesPerMonth)}) arrive here: the figures assume that what writes them writes to ${catalogue.titleOf(option.provider)} after the move.`,
  ];
}

/** The cost where the objects are and there, in each scenario. */
function withstands({ scenarios }: RecommendationRecord): string {
  return `A month. ${describeScenarios(scenarios)}.`;
}

/**
 * What the law on charges for switching means for an open move.
 *
 * | the source's region | read             | the note                         |
 * |---------------------|------------------|----------------------------------|
 * | is covered          | before that day  | what waiting saves, if anything  |
 * | is covered          | on it or later   | the egress is not due            |
 * | is not covered      | -                | none                             |
 */
function switchingNotes(
  { recommendation: { region }, option }: Step,
  ban: SwitchingChargeBan | null,
  now: Date,
): readonly string[] {
  if (!ban?.regions.includes(region) || !option) return [];
  const day = formatDay(new Date(ban.from));
  const covered = 'It covers switching, which a partial move may not be.';
  if (now >= new Date(ban.from)) {
    const { egressUsd } = option.quote;
    return egressUsd === 0
      ? []
      : [
          `since ${day} the ${formatMoney(egressUsd)} of egress in its cost is not due for customers whom ${ban.law} covers. ${covered}`,
        ];
  }
  return option.waiting
    ? [
        `waiting until ${day} saves ${formatMoney(option.waiting.savesUsd)}: from that day ${ban.law} forbids the charge for egress. ${covered}`,
      ]
    : [];
}

function describePlace({ bucket, selector, source }: RecommendationRecord): Text {
  const which = describeSelector(source ?? AWS, selector);
  return [{ code: `${bucket}/${keyPrefixOf(selector)}` }, ...(which === '' ? [] : [`, ${which}`])];
}
