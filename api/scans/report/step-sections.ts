import { CATALOGUE } from '../../../domain/provider/catalogue.ts';
import { breakEvenMonths } from '../../../domain/decision/amounts.ts';
import type { Selector } from '../../../domain/decision/types.ts';
import {
  formatBytes,
  formatDay,
  formatMonths,
  formatNumber,
  formatUsd,
} from '../../../domain/common/format.ts';
import type { SwitchingChargeBan } from '../../../domain/pricing/figures.ts';
import {
  recommendationStatusAt,
  type RecommendationRecord,
} from '../../../domain/recommendation/recommendation.ts';
import { addAmounts, type Units } from './amounts.ts';
import { heading, list, paragraph, table, type Block, type Inline, type Text } from './blocks.ts';
import { confidenceWords, payback, type ReadingTerms, type Step } from './steps.ts';

/** First the steps without a move, then the moves. */
export function stepSections(
  steps: readonly Step[],
  units: Units,
  terms: ReadingTerms,
): readonly Block[] {
  const isMove = ({ recommendation: { kind } }: Step) => kind === 'move';
  const inPlace = steps.filter((step) => !isMove(step));
  const moves = steps.filter(isMove);
  const isAnyOpen = inPlace.some(
    ({ recommendation }) => recommendationStatusAt(recommendation, terms.now) === 'open',
  );
  const isNearlyFree = addAmounts(inPlace.map(({ once }) => once)) <= savedBy(inPlace);
  return [
    ...stepSection(
      isNearlyFree
        ? 'First: nearly free, without a move'
        : `First: without a move, ${paidBack(inPlace)}`,
      `You carry these out in your own account${isAnyOpen ? '; each command below prints how' : ''}. They delete or re-label what is there, and nothing is copied.`,
      inPlace,
      units,
      terms,
    ),
    ...stepSection(
      `Then: moves, ${paidBack(moves)}`,
      'The service copies the objects once you approve a move, and not before. The source stays as it is; what you save begins when you delete it there.',
      moves,
      units,
      terms,
    ),
  ];
}

function stepSection(
  title: string,
  introduction: string,
  steps: readonly Step[],
  units: Units,
  terms: ReadingTerms,
): readonly Block[] {
  if (steps.length === 0) return [];
  const { show } = units;
  const sum = [
    '',
    'Together',
    '',
    '',
    show(savedBy(steps)),
    show(addAmounts(steps.map(({ once }) => once))),
    '',
  ];
  const rows: Text[][] = steps.map((step) => {
    const { recommendation, option, number, saved, once } = step;
    return [
      String(number),
      describeAction(recommendation),
      describePlace(recommendation),
      formatBytes(recommendation.bytes),
      show(saved),
      show(once),
      once === 0 ? 'at once' : payback(option?.breakEvenMonths ?? null),
    ];
  });
  return [
    heading(title),
    paragraph(introduction),
    table(
      ['Step', 'What', 'Where', '#Size', '#Saves a month', '#Costs once', '#Paid back after'],
      steps.length > 1 ? [...rows, sum] : rows,
      steps.length > 1,
    ),
    ...list(steps.flatMap((step) => stepNotes(step, terms))),
  ];
}

function savedBy(steps: readonly Step[]): number {
  return addAmounts(steps.map(({ saved }) => saved));
}

function paidBack(steps: readonly Step[]): string {
  const onceUsd = ({ option }: Step) => option?.quote.totalUsd ?? 0;
  const savedUsd = ({ recommendation }: Step) => recommendation.monthlySavingsUsd;
  const [only, ...others] = steps;
  const months =
    only && others.length === 0
      ? (only.option?.breakEvenMonths ?? null)
      : breakEvenMonths(addAmounts(steps.map(onceUsd)), addAmounts(steps.map(savedUsd)));
  return months === null ? 'never paid back' : `paid back after ${formatMonths(months)}`;
}

/** The command, its confidence, its blockers, and the effect of a law on egress charges. */
function stepNotes(step: Step, { now, switchingChargeBan: ban }: ReadingTerms): readonly Text[] {
  const { recommendation, option, number } = step;
  const { kind, recommendationId: id, blockers, confidence } = recommendation;
  const { level, basis } = confidenceWords(confidence);
  const begin: Inline[] = [{ strong: `Step ${number}:` }, ' '];
  const status = recommendationStatusAt(recommendation, now);
  const command: Inline[] =
    status !== 'open'
      ? [`recommendation `, { code: id }, ` is ${status}.`]
      : kind === 'move'
        ? [{ code: `srs approve ${id} --target ${option?.provider ?? ''}` }, ' approves it.']
        : [{ code: `srs approve ${id}` }, ' prints how to carry it out.'];
  return [
    [...begin, ...command, ` ${level} confidence: ${basis}.`],
    ...blockers.map(({ message }) => begin.concat(message)),
    ...(status === 'open' && kind === 'move'
      ? switchingNotes(step, ban, now).map((note) => begin.concat(note))
      : []),
  ];
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
          `since ${day} the ${formatUsd(egressUsd)} of egress in its cost is not due for customers whom ${ban.law} covers. ${covered}`,
        ];
  }
  return option.waiting
    ? [
        `waiting until ${day} saves ${formatUsd(option.waiting.savesUsd)}: from that day ${ban.law} forbids the charge for egress. ${covered}`,
      ]
    : [];
}

function describeAction(recommendation: RecommendationRecord): string {
  const { kind, recommendedProvider, recommendedStorageClass } = recommendation;
  switch (kind) {
    case 'move':
      return `Move to ${recommendedProvider ? CATALOGUE[recommendedProvider].title : '?'}`;
    case 'change_class':
      return `Change class to ${recommendedStorageClass}`;
    case 'abort_multipart_uploads':
      return 'Abort unfinished uploads';
    case 'expire_old_versions':
      return 'Delete old versions';
  }
}

function describePlace({ bucket, selector }: RecommendationRecord): Text {
  const which = describeSelection(selector);
  return [{ code: `${bucket}/${selector.prefix ?? ''}` }, ...(which === '' ? [] : [`, ${which}`])];
}

function describeSelection({
  storageClass,
  minAgeDays,
  maxAgeDays,
  minSizeBytes,
}: Selector): string {
  const age =
    minAgeDays !== null && maxAgeDays !== null
      ? [`${minAgeDays} to ${maxAgeDays} days old`]
      : minAgeDays !== null
        ? [`from ${minAgeDays} days on`]
        : maxAgeDays !== null
          ? [`younger than ${maxAgeDays} days`]
          : [];
  const size = minSizeBytes === null ? [] : [`of ${formatNumber(minSizeBytes)} bytes and more`];
  return [...(storageClass === null ? [] : [storageClass]), ...age, ...size].join(', ');
}
