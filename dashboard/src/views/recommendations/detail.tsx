import type {
  HowTo,
  ListedRecommendation,
  PlacementOption,
  Recommendation,
  RecommendationDetail,
} from '@storage-routing/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { wordsOfConfidence } from '../../format/confidence.ts';
import { formatMonths } from '../../format/durations.ts';
import { formatBytes, formatCount, formatUsd } from '../../format/numbers.ts';
import { actionOf, formatSelector, RECOMMENDATION_STATUSES } from '../../format/recommendations.ts';
import { PROVIDER_TITLES } from '../../format/words.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Snippet } from '../../parts/snippet.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { ApproveDialog } from './approve-dialog.tsx';
import { BreakEven } from './break-even-card.tsx';
import { chosenOption } from './options.ts';
import { OptionsCard } from './options-card.tsx';

interface DetailProps {
  readonly recommendation: RecommendationDetail;
}

/** What is recommended, what it costs and saves, and what speaks for and against it. */
export function RecommendationCards({ recommendation }: DetailProps) {
  const option = chosenOption(recommendation);
  return (
    <>
      <Head recommendation={recommendation} />
      <Costs recommendation={recommendation} option={option} />
      <div className="columns">
        <Why recommendation={recommendation} />
        <Blockers recommendation={recommendation} />
      </div>
      {recommendation.options.length > 0 ? <OptionsCard recommendation={recommendation} /> : null}
      {option ? <BreakEven recommendation={recommendation} recommended={option} /> : null}
    </>
  );
}

function Head({ recommendation }: { readonly recommendation: ListedRecommendation }) {
  const { bucket, region, selector, status, objects, bytes, expiresAt } = recommendation;
  const { title, tone } = RECOMMENDATION_STATUSES[status];
  const [isApproving, setApproving] = useState(false);
  const facts: readonly (readonly [string, string])[] = [
    ['Bucket', bucket],
    ['Region', region],
    ['Selects', formatSelector(selector)],
    ['Objects', formatCount(objects)],
    ['Size', formatBytes(bytes)],
  ];
  return (
    <Card title={actionOf(recommendation)} aside={<StatusBadge tone={tone}>{title}</StatusBadge>}>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {status === 'open' ? (
          <div>
            <dt>Open until</dt>
            <dd>
              <Time iso={expiresAt} />
            </dd>
          </div>
        ) : null}
      </dl>
      <Next recommendation={recommendation} onApprove={() => setApproving(true)} />
      {/* It stays where the recommendation closes meanwhile, and says so. */}
      {isApproving ? (
        <ApproveDialog recommendation={recommendation} onClose={() => setApproving(false)} />
      ) : null}
    </Card>
  );
}

interface NextProps {
  readonly recommendation: Recommendation;
  readonly onApprove: () => void;
}

/** What the reader can do with it. */
function Next({ recommendation, onApprove }: NextProps) {
  const { howTo, status, migrationId } = recommendation;
  if (migrationId !== null)
    return (
      <p>
        It was approved. <Link href={`/migrations/${migrationId}`}>See its migration</Link>
      </p>
    );
  if (status !== 'open')
    return (
      <p>
        It is no longer open. <Link href="/audit">A new audit</Link> prices it anew.
      </p>
    );
  if (howTo !== null) return <CarryOut howTo={howTo} />;
  return (
    <>
      <p>Nothing is copied before you approve it, and the source is never changed.</p>
      <div className="actions">
        <ActionButton kind="primary" onPress={onApprove}>
          Approve this move
        </ActionButton>
      </div>
    </>
  );
}

/** The commands of a change or a clean-up: the service only reads in the customer's account. */
function CarryOut({ howTo: { summary, lifecycleRule, commands } }: { readonly howTo: HowTo }) {
  return (
    <>
      <p>You carry it out in your own account: the service only reads there.</p>
      <p>{summary}</p>
      {commands.map((command, at) => (
        <Snippet
          key={command}
          text={command}
          label={commands.length === 1 ? 'Copy the command' : `Copy command ${at + 1}`}
        />
      ))}
      {lifecycleRule ? (
        <details>
          <summary>The rule by itself</summary>
          <Snippet text={JSON.stringify(lifecycleRule, null, 2)} label="Copy the rule" />
        </details>
      ) : null}
    </>
  );
}

interface CostsProps {
  readonly recommendation: Recommendation;
  readonly option: PlacementOption | undefined;
}

function Costs({ recommendation, option }: CostsProps) {
  const { currentMonthlyCostUsd, optimalMonthlyCostUsd, monthlySavingsUsd } = recommendation;
  return (
    <Figures>
      <Figure
        label="Now"
        value={`${formatUsd(currentMonthlyCostUsd)} a month`}
        basis="storage alone, as the bill shows it"
      />
      <Figure
        label="Afterwards"
        value={`${formatUsd(optimalMonthlyCostUsd)} a month`}
        basis={`counted as saved: ${formatUsd(monthlySavingsUsd)}, the smaller of without reads and with the expected ones`}
      />
      <Figure
        label="Costs once"
        value={formatUsd(option?.quote.totalUsd ?? 0)}
        basis={option ? paybackOf(option) : 'nothing is moved'}
      />
    </Figures>
  );
}

function paybackOf({ provider, breakEvenMonths }: PlacementOption): string {
  const target = PROVIDER_TITLES[provider];
  if (breakEvenMonths === null) return `a place at ${target} is never paid back`;
  return `${target}: paid back after ${formatMonths(breakEvenMonths)}`;
}

function Why({ recommendation: { confidence, reasons, assumptions } }: DetailProps) {
  const { level, basis } = wordsOfConfidence(confidence);
  return (
    <Card title="Why">
      <p>
        <strong>{level} confidence:</strong> {basis}.
      </p>
      <Sentences sentences={reasons} />
      {assumptions.length > 0 ? (
        <details>
          <summary>What the audit assumes</summary>
          <Sentences sentences={assumptions} />
        </details>
      ) : null}
    </Card>
  );
}

function Blockers({ recommendation: { blockers } }: { readonly recommendation: Recommendation }) {
  return (
    <Card title="What stays behind">
      {blockers.length === 0 ? (
        <p>Nothing that it selects.</p>
      ) : (
        <Sentences sentences={blockers.map(({ message }) => message)} />
      )}
    </Card>
  );
}

function Sentences({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <ul className="sentences">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
