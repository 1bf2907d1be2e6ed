import {
  actionTitle,
  confidenceLevel,
  describePayback,
  formatBytes,
  formatCount,
  formatLess,
  formatMoney,
  type HowTo,
  type ListedRecommendation,
  type PlacementOption,
  type Recommendation,
  type RecommendationDetail,
  onceUsd,
  recommendedOption,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { useProviderTitle } from '../../data/providers.ts';
import { useRecommendationQueries } from '../../data/recommendations.ts';
import { formatSelector } from '../../format/recommendations.ts';
import { ChangeButton } from '../../parts/action-button.tsx';
import { Card } from '../../parts/card.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Snippets } from '../../parts/snippets.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { ApproveDialog } from './approve-dialog.tsx';
import { BreakEven } from './break-even-card.tsx';
import { DismissDialog, Dismissal } from './dismissal.tsx';
import { OptionsCard } from './options-card.tsx';

/** One recommendation. */
export function RecommendationView() {
  const { recommendationId = '' } = useParams();
  const recommendation = useQuery(useRecommendationQueries().recommendation(recommendationId));
  return (
    <Page title="Recommendation">
      <Loaded query={recommendation} what="the recommendation">
        {(detail) => <Cards recommendation={detail} />}
      </Loaded>
    </Page>
  );
}

interface DetailProps {
  readonly recommendation: RecommendationDetail;
}

/** What is recommended and what it saves, how to do it, and what speaks for and against it. */
function Cards({ recommendation }: DetailProps) {
  const { howTo, kind, status, options } = recommendation;
  const option = recommendedOption(recommendation);
  return (
    <>
      <Summary recommendation={recommendation} />
      <Costs recommendation={recommendation} option={option} />
      {howTo !== null && status === 'open' ? <CarryOut howTo={howTo} /> : null}
      {options.length > 0 ? <OptionsCard recommendation={recommendation} /> : null}
      {option ? <BreakEven recommendation={recommendation} recommended={option} /> : null}
      <div className="columns">
        <Reasons recommendation={recommendation} />
        <Risks recommendation={recommendation} />
        {kind === 'move' ? <StaysBehind recommendation={recommendation} /> : null}
      </div>
    </>
  );
}

function Summary({ recommendation }: { readonly recommendation: ListedRecommendation }) {
  const { bucket, region, selector, status, objects, bytes, expiresAt } = recommendation;
  const providerTitle = useProviderTitle();
  const [open, setOpen] = useState<'approve' | 'dismiss' | undefined>();
  const close = () => setOpen(undefined);
  return (
    <Card
      title={actionTitle(recommendation, providerTitle)}
      aside={<StatusBadge status={status} />}
    >
      <Facts
        facts={[
          ['Bucket', `${bucket}, ${region}`],
          ['Selects', formatSelector(selector)],
          ['Holds', `${formatCount(objects, 'object')}, ${formatBytes(bytes)}`],
          ['Open until', status === 'open' ? <Time iso={expiresAt} /> : null],
        ]}
      />
      <Dismissal recommendation={recommendation} />
      <NextStep
        recommendation={recommendation}
        onApprove={() => setOpen('approve')}
        onDismiss={() => setOpen('dismiss')}
      />
      {/* It stays open if the recommendation is closed meanwhile, and says so. */}
      {open === 'approve' ? (
        <ApproveDialog recommendation={recommendation} onClose={close} />
      ) : null}
      {open === 'dismiss' ? (
        <DismissDialog recommendation={recommendation} onClose={close} />
      ) : null}
    </Card>
  );
}

interface NextStepProps {
  readonly recommendation: Recommendation;
  readonly onApprove: () => void;
  readonly onDismiss: () => void;
}

/** What the reader can do with it. */
function NextStep({ recommendation, onApprove, onDismiss }: NextStepProps) {
  const { howTo, status, migrationId, supersededBy, dismissed, blockers } = recommendation;
  if (migrationId !== null)
    return (
      <p>
        Approved. <Link href={`/migrations/${migrationId}`}>See its migration</Link>
      </p>
    );
  if (status !== 'open')
    return supersededBy === null ? (
      <p>
        No longer open. <Link href="/audit">A new audit</Link> prices it again.
      </p>
    ) : (
      <p>
        A newer audit has priced this again.{' '}
        <Link href={`/recommendations/${supersededBy}`}>See the newest recommendation</Link>
      </p>
    );
  const tooLarge = blockers.find(isSizeLimit);
  return (
    <>
      {tooLarge ? <p>{tooLarge.message}</p> : null}
      {howTo === null && !tooLarge ? (
        <p>Nothing is copied before you approve it. The source is never changed.</p>
      ) : null}
      <div className="actions">
        {howTo === null && !tooLarge ? (
          <ChangeButton kind="primary" onPress={onApprove}>
            Approve this move
          </ChangeButton>
        ) : null}
        {dismissed === null ? (
          <ChangeButton onPress={onDismiss}>Dismiss for a time</ChangeButton>
        ) : null}
      </div>
    </>
  );
}

/** The commands of a change or a clean-up: the service only reads in the customer's account. */
function CarryOut({ howTo }: { readonly howTo: HowTo }) {
  const { summary, lifecycleRule, commands, terraform } = howTo;
  const choices = [
    { title: 'Commands', texts: commands },
    ...(terraform === null
      ? []
      : [{ title: 'Terraform', texts: [...commands.slice(0, -1), terraform] }]),
    ...(lifecycleRule
      ? [{ title: 'Rule as JSON', texts: [JSON.stringify(lifecycleRule, null, 2)] }]
      : []),
  ];
  return (
    <Card title="How to do it">
      <p>{summary} You do it in your own account: the service only reads there.</p>
      <Snippets label="How to do it" choices={choices} />
    </Card>
  );
}

interface CostsProps {
  readonly recommendation: Recommendation;
  readonly option: PlacementOption | undefined;
}

/**
 * All on one basis: what is saved is the conservative estimate, and afterwards is what remains by
 * it.
 */
function Costs({ recommendation, option }: CostsProps) {
  const { currentMonthlyCostUsd, monthlySavingsUsd } = recommendation;
  return (
    <Figures>
      <Figure
        label="Now"
        value={formatMoney(currentMonthlyCostUsd)}
        basis="a month, with the reads that are known"
      />
      <Figure
        label="After"
        value={formatLess(currentMonthlyCostUsd, monthlySavingsUsd)}
        basis="a month, as promised"
      />
      <Figure
        label="You save"
        value={formatMoney(monthlySavingsUsd)}
        basis="a month: a conservative estimate"
      />
      <Figure
        label="Costs once"
        value={formatMoney(onceUsd(recommendation))}
        basis={option ? describePayback(option.breakEvenMonths) : 'nothing is moved'}
      />
    </Figures>
  );
}

function Reasons({ recommendation: { confidence, reasons, assumptions } }: DetailProps) {
  return (
    <Card title="Why">
      <p>
        <strong>{confidenceLevel(confidence)} confidence</strong>
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

function Risks({ recommendation: { risks } }: DetailProps) {
  if (risks.length === 0) return null;
  return (
    <Card title="What you should know first">
      <Sentences sentences={risks.map(({ message }) => message)} />
    </Card>
  );
}

/** It stops the whole move; every other blocker leaves objects behind. */
function isSizeLimit({ code }: Recommendation['blockers'][number]): boolean {
  return code === 'too_large_here';
}

function StaysBehind({
  recommendation: { blockers },
}: {
  readonly recommendation: Recommendation;
}) {
  const left = blockers.filter((blocker) => !isSizeLimit(blocker));
  return (
    <Card title="What stays behind">
      <Sentences
        sentences={[
          ...left.map(({ message }) => message),
          'Old versions and unfinished uploads, if the bucket has any: only current objects move.',
        ]}
      />
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
