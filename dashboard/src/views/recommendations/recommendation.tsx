import type {
  HowTo,
  ListedRecommendation,
  PlacementOption,
  Recommendation,
  RecommendationDetail,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { useProviderTitle } from '../../data/providers.ts';
import { useRecommendationQueries } from '../../data/recommendations.ts';
import { confidenceWords, formatPayback } from '../../format/audit.ts';
import { actionTitle, formatSelector, recommendedOption } from '../../format/recommendations.ts';
import { formatBytes, formatCount, formatUsd } from '../../format/values.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Card } from '../../parts/card.tsx';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Snippet } from '../../parts/copy-button.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { ApproveDialog } from './approve-dialog.tsx';
import { BreakEven } from './break-even-card.tsx';
import { OptionsCard } from './options-card.tsx';

/** One recommendation. */
export function RecommendationView() {
  const { recommendationId = '' } = useParams();
  const recommendation = useQuery(useRecommendationQueries().recommendation(recommendationId));
  return (
    <Page title="Recommendation">
      <Loaded query={recommendation} what="the recommendation">
        {(found) => <Cards recommendation={found} />}
      </Loaded>
    </Page>
  );
}

interface DetailProps {
  readonly recommendation: RecommendationDetail;
}

/** What is recommended, what it costs and saves, and what speaks for and against it. */
function Cards({ recommendation }: DetailProps) {
  const option = recommendedOption(recommendation);
  return (
    <>
      <Summary recommendation={recommendation} />
      <Costs recommendation={recommendation} option={option} />
      <div className="columns">
        <Reasons recommendation={recommendation} />
        <Blockers recommendation={recommendation} />
      </div>
      {recommendation.options.length > 0 ? <OptionsCard recommendation={recommendation} /> : null}
      {option ? <BreakEven recommendation={recommendation} recommended={option} /> : null}
    </>
  );
}

function Summary({ recommendation }: { readonly recommendation: ListedRecommendation }) {
  const { bucket, region, selector, status, objects, bytes, expiresAt } = recommendation;
  const providerTitle = useProviderTitle();
  const [isApproving, setApproving] = useState(false);
  return (
    <Card
      title={actionTitle(recommendation, providerTitle)}
      aside={<StatusBadge status={status} />}
    >
      <Facts
        facts={[
          ['Bucket', bucket],
          ['Region', region],
          ['Selects', formatSelector(selector)],
          ['Objects', formatCount(objects)],
          ['Size', formatBytes(bytes)],
          ['Open until', status === 'open' ? <Time iso={expiresAt} /> : null],
        ]}
      />
      <NextStep recommendation={recommendation} onApprove={() => setApproving(true)} />
      {/* It stays open if the recommendation is closed meanwhile, and says so. */}
      {isApproving ? (
        <ApproveDialog recommendation={recommendation} onClose={() => setApproving(false)} />
      ) : null}
    </Card>
  );
}

interface NextStepProps {
  readonly recommendation: Recommendation;
  readonly onApprove: () => void;
}

/** What the reader can do with it. */
function NextStep({ recommendation, onApprove }: NextStepProps) {
  const { howTo, status, migrationId, blockers } = recommendation;
  if (migrationId !== null)
    return (
      <p>
        It was approved. <Link href={`/migrations/${migrationId}`}>See its migration</Link>
      </p>
    );
  if (status !== 'open')
    return (
      <p>
        It is no longer open. <Link href="/audit">A new audit</Link> prices it again.
      </p>
    );
  if (howTo !== null) return <CarryOut howTo={howTo} />;
  const tooLarge = blockers.find(isSizeLimit);
  if (tooLarge) return <p>{tooLarge.message}</p>;
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
  const providerTitle = useProviderTitle();
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
        basis={option ? paybackText(option, providerTitle(option.provider)) : 'nothing is moved'}
      />
    </Figures>
  );
}

function paybackText({ breakEvenMonths }: PlacementOption, target: string): string {
  return `${target}: pays back ${formatPayback(breakEvenMonths)}`;
}

function Reasons({ recommendation: { confidence, reasons, assumptions } }: DetailProps) {
  const { level, basis } = confidenceWords(confidence);
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

/** It stops the whole move; every other blocker leaves objects behind. */
function isSizeLimit({ code }: Recommendation['blockers'][number]): boolean {
  return code === 'too_large_here';
}

function Blockers({ recommendation: { blockers } }: { readonly recommendation: Recommendation }) {
  const left = blockers.filter((blocker) => !isSizeLimit(blocker));
  return (
    <Card title="What stays behind">
      {left.length === 0 ? (
        <p>Nothing that it selects.</p>
      ) : (
        <Sentences sentences={left.map(({ message }) => message)} />
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
