import {
  actionTitle,
  auditHeadline,
  describePayback,
  formatMoney,
  type ListedRecommendation,
  onceUsd,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { Link } from 'wouter';
import { useMigrationQueries } from '../../data/migrations.ts';
import { useProviderTitle } from '../../data/providers.ts';
import { useRecommendationQueries } from '../../data/recommendations.ts';
import { isScanRunning, useScanQueries } from '../../data/scans.ts';
import { formatSelector, paybackMonths } from '../../format/recommendations.ts';
import { formatDate } from '../../format/values.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Time } from '../../parts/time.tsx';
import { sumAudits, sumRealised, type AuditedCosts } from './audits.ts';

const MOST_STEPS = 3;

/** What the cloud accounts cost, what they could cost, and the steps that matter most. */
export function Money() {
  const scans = useQuery(useScanQueries().scans);
  return (
    <Loaded query={scans} what="the audits">
      {({ items }) => {
        const costs = sumAudits(items);
        if (costs) return <Costs costs={costs} />;
        return <FirstAudit runningScanId={items.find(isScanRunning)?.scanId} />;
      }}
    </Loaded>
  );
}

function FirstAudit({ runningScanId }: { readonly runningScanId: string | undefined }) {
  return (
    <section className="card hero" aria-labelledby="first-audit">
      <h2 id="first-audit">Find out what your cloud storage could cost</h2>
      <p>
        An audit reads the listings of your buckets: at AWS through a role that only reads, at
        another store with the keys that you have stored for it. A few minutes later you know what
        to move, what to change, and what to leave.
      </p>
      <div className="actions">
        {runningScanId === undefined ? (
          <Link className="button-link" href="/audit">
            Audit your storage
          </Link>
        ) : (
          <Link className="button-link" href={`/audit/scans/${runningScanId}`}>
            Watch the audit
          </Link>
        )}
      </div>
    </section>
  );
}

function Costs({ costs }: { readonly costs: AuditedCosts }) {
  const recommendations = useQuery(useRecommendationQueries().openRecommendations);
  const { nowUsd, savingsUsd, latest } = costs;
  return (
    <section className="card hero" aria-labelledby="headline">
      <Loaded query={recommendations} what="the recommendations">
        {({ items, total }) => {
          const shown = items.filter(({ dismissed }) => dismissed === null);
          return (
            <>
              <Headline costs={costs} open={shown} />
              <div className="hero-figures">
                <p className="hero-figure">
                  <span className="quiet">Now</span>
                  <strong>{formatMoney(nowUsd)}</strong>
                </p>
                <ArrowRight aria-label="becomes" className="quiet" />
                <p className="hero-figure hero-after">
                  <span className="quiet">After</span>
                  <strong>{formatMoney(nowUsd - savingsUsd)}</strong>
                </p>
                <p className="quiet">
                  a month, by the{' '}
                  <Link href={`/audit/scans/${latest.scanId}`}>
                    audit of <Time iso={latest.startedAt} />
                  </Link>
                </p>
              </div>
              <Realised />
              <Steps items={shown} total={total} />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

interface HeadlineProps {
  readonly costs: AuditedCosts;
  readonly open: readonly ListedRecommendation[];
}

function Headline({ costs: { nowUsd, savingsUsd }, open }: HeadlineProps) {
  const providerTitle = useProviderTitle();
  const text =
    open.length === 0 && savingsUsd > 0
      ? 'Nothing more to decide'
      : auditHeadline({
          currentMonthlyUsd: nowUsd,
          monthlySavingsUsd: savingsUsd,
          recommendations: open,
          providerTitle,
        });
  return <h2 id="headline">{text}</h2>;
}

function Realised() {
  const { data } = useQuery(useMigrationQueries().latestMigrations);
  const realised = data && sumRealised(data.items, Date.now());
  if (!realised) return null;
  return (
    <p className="hero-realised">
      The sources of finished moves are released: since {formatDate(realised.since)} your bill
      should show <strong>{formatMoney(realised.monthlyUsd)} a month less</strong>,{' '}
      {formatMoney(realised.sumUsd)} in all.
    </p>
  );
}

interface StepsProps {
  readonly items: readonly ListedRecommendation[];
  readonly total: number;
}

/** The three that save most, each with what comes next. */
function Steps({ items, total }: StepsProps) {
  const providerTitle = useProviderTitle();
  if (items.length === 0) return null;
  return (
    <>
      <ol className="steps-list">
        {items.slice(0, MOST_STEPS).map((item) => (
          <li key={item.recommendationId}>
            <div>
              <strong>{actionTitle(item, providerTitle)}</strong>
              <span className="quiet small">
                <code>{item.bucket}</code>, {formatSelector(item.selector)}
              </span>
            </div>
            <div className="step-money">
              <strong>{formatMoney(item.monthlySavingsUsd)} a month</strong>
              <span className="quiet small">{priceText(item)}</span>
            </div>
            <Link className="button" href={`/recommendations/${item.recommendationId}`}>
              {item.kind === 'move' ? 'Review and approve' : 'See the commands'}
            </Link>
          </li>
        ))}
      </ol>
      {total > MOST_STEPS ? (
        <p>
          <Link href="/recommendations">All {total} recommendations</Link>
        </p>
      ) : null}
    </>
  );
}

function priceText(item: ListedRecommendation): string {
  const once = onceUsd(item);
  if (once === 0) return 'costs nothing';
  return `${formatMoney(once)} once, ${describePayback(paybackMonths(item))}`;
}
