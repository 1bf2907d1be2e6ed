import {
  RECOMMENDATION_STATUSES,
  type Connection,
  type ListedRecommendation,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useProviderTitle } from '../../data/providers.ts';
import { useRecommendationQueries } from '../../data/recommendations.ts';
import { useScanQueries } from '../../data/scans.ts';
import { confidenceWords, formatPayback } from '../../format/audit.ts';
import { formatBytes, formatUsd } from '../../format/values.ts';
import {
  actionTitle,
  formatSelector,
  onceUsd,
  paybackMonths,
} from '../../format/recommendations.ts';
import { wordsFromCode } from '../../format/words.ts';
import { Card } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Paging } from '../../parts/paging.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useListLocation } from '../../parts/use-list-location.ts';

/** In the address: no filter would show what is closed, too. */
const ANY = 'any';

/** What the audits recommend, the largest savings first. */
export function Recommendations() {
  const location = useListLocation();
  const queries = useRecommendationQueries();
  const connections = useQuery(useScanQueries().connections);
  const chosen = location.filter('status') ?? 'open';
  const status = RECOMMENDATION_STATUSES.find((each) => each === chosen);
  const connectionId = location.filter('connection') ?? undefined;
  const recommendations = useQuery(
    queries.recommendations({ status, connectionId, page: location.page }),
  );
  return (
    <Page title="Recommendations">
      <div className="filters">
        <Choice
          label="State"
          value={status ?? ANY}
          options={[
            ...RECOMMENDATION_STATUSES.map((value) => ({ value, title: wordsFromCode(value) })),
            { value: ANY, title: 'Any' },
          ]}
          onChange={(value) => location.setFilter('status', value === 'open' ? null : value)}
        />
        <ConnectionChoice
          connections={connections.data?.items ?? []}
          value={connectionId}
          onChange={(value) => location.setFilter('connection', value)}
        />
      </div>
      <Card title="The largest savings first">
        <Loaded query={recommendations} what="the recommendations">
          {(list) =>
            list.total === 0 ? (
              <EmptyList isFiltered={status !== undefined || connectionId !== undefined} />
            ) : (
              <>
                <RecommendationsTable items={list.items} />
                <Paging what="recommendations" list={list} location={location} />
              </>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

interface ConnectionChoiceProps {
  readonly connections: readonly Connection[];
  readonly value: string | undefined;
  readonly onChange: (connectionId: string | null) => void;
}

/** Of several cloud accounts one; with a single one there is nothing to choose. */
function ConnectionChoice({ connections, value, onChange }: ConnectionChoiceProps) {
  if (connections.length < 2 && value === undefined) return null;
  return (
    <Choice
      label="Cloud account"
      value={value ?? ANY}
      options={[
        { value: ANY, title: 'All' },
        ...connections.map(({ connectionId, roleArn }) => ({
          value: connectionId,
          title: roleArn.replace('arn:aws:iam::', ''),
        })),
      ]}
      onChange={(chosen) => onChange(chosen === ANY ? null : chosen)}
    />
  );
}

function EmptyList({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <Empty>
      <p>{isFiltered ? 'No recommendation is in this state.' : 'There is none yet.'}</p>
      <p>
        An audit of a cloud account makes them. <Link href="/audit">Audit an account</Link>
        {isFiltered ? (
          <>
            , or <Link href="/recommendations?status=any">show those of any state</Link>
          </>
        ) : null}
        .
      </p>
    </Empty>
  );
}

function RecommendationsTable({ items }: { readonly items: readonly ListedRecommendation[] }) {
  const providerTitle = useProviderTitle();
  return (
    <DataTable
      caption="Savings are the smaller of those without reads and with the expected ones."
      rows={items}
      rowKey={({ recommendationId }) => recommendationId}
      columns={[
        {
          title: 'What',
          cell: (item) => (
            <>
              <Link href={`/recommendations/${item.recommendationId}`}>
                {actionTitle(item, providerTitle)}
              </Link>
              <br />
              <span className="quiet">
                {item.bucket}, {formatSelector(item.selector)}
              </span>
            </>
          ),
        },
        {
          title: 'Saves a month',
          isNumber: true,
          cell: ({ monthlySavingsUsd }) => formatUsd(monthlySavingsUsd),
        },
        {
          title: 'Costs once',
          isNumber: true,
          cell: (item) => formatUsd(onceUsd(item)),
        },
        {
          title: 'Pays back',
          isNumber: true,
          cell: (item) => formatPayback(paybackMonths(item)),
        },
        { title: 'Size', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
        { title: 'Confidence', cell: ({ confidence }) => confidenceWords(confidence).level },
        {
          title: 'State',
          cell: ({ status }) => <StatusBadge status={status} />,
        },
      ]}
    />
  );
}
