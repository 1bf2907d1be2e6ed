import { RECOMMENDATION_STATUSES, type Connection } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { MOST_LISTED } from '../../data/page.ts';
import { useProviderTitle, type ProviderTitle } from '../../data/providers.ts';
import { useRecommendationQueries } from '../../data/recommendations.ts';
import { useScanQueries } from '../../data/scans.ts';
import { connectionName } from '../../format/audit.ts';
import { formatCode } from '../../format/code.ts';
import { Card } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { buildSteps } from '../../parts/steps.ts';
import { StepsTable } from '../../parts/steps-table.tsx';
import { useListLocation } from '../../parts/use-list-location.ts';

/** In the address: no filter would show what is closed, too. */
const ANY = 'any';
const DISMISSED = 'dismissed';

/** What the audits recommend: quick wins, then moves, the largest savings first. */
export function Recommendations() {
  const location = useListLocation();
  const queries = useRecommendationQueries();
  const connections = useQuery(useScanQueries().connections);
  const chosen = location.filter('status') ?? 'open';
  const isDismissed = chosen === DISMISSED;
  const status = isDismissed ? 'open' : RECOMMENDATION_STATUSES.find((each) => each === chosen);
  const connectionId = location.filter('connection') ?? undefined;
  const recommendations = useQuery(queries.recommendations({ status, connectionId }));
  return (
    <Page title="Recommendations">
      <div className="filters">
        <Choice
          label="State"
          value={isDismissed ? DISMISSED : (status ?? ANY)}
          options={[
            ...RECOMMENDATION_STATUSES.map((value) => ({ value, title: formatCode(value) })),
            { value: DISMISSED, title: 'Dismissed' },
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
      <Card title="What to do">
        <Loaded query={recommendations} what="the recommendations">
          {(listed) => {
            const shown =
              status === 'open'
                ? listed.filter(({ dismissed }) => (dismissed !== null) === isDismissed)
                : listed;
            if (shown.length === 0)
              return <EmptyList isFiltered={chosen !== 'open' || connectionId !== undefined} />;
            return (
              <>
                <StepsTable
                  caption="Savings are a conservative estimate"
                  steps={buildSteps(shown)}
                  fileName="recommendations"
                />
                {listed.length >= MOST_LISTED ? (
                  <p className="quiet">The {MOST_LISTED} that save most.</p>
                ) : null}
              </>
            );
          }}
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

/** Chooses one of several accounts and stores; hidden if there is only one. */
function ConnectionChoice({ connections, value, onChange }: ConnectionChoiceProps) {
  const providerTitle = useProviderTitle();
  if (connections.length < 2 && value === undefined) return null;
  return (
    <Choice
      label="Account or store"
      value={value ?? ANY}
      options={[
        { value: ANY, title: 'All' },
        ...connections.map((connection) => ({
          value: connection.connectionId,
          title: connectionChoiceTitle(connection, providerTitle),
        })),
      ]}
      onChange={(chosen) => onChange(chosen === ANY ? null : chosen)}
    />
  );
}

/** One AWS account may have several roles. */
function connectionChoiceTitle(connection: Connection, providerTitle: ProviderTitle): string {
  const { roleArn } = connection;
  return roleArn === undefined
    ? connectionName(connection, providerTitle)
    : roleArn.replace('arn:aws:iam::', '');
}

function EmptyList({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <Empty>
      <p>{isFiltered ? 'No recommendation is in this state.' : 'Nothing is recommended.'}</p>
      <p>
        <Link href="/audit">Audit an account or a store</Link>
        {isFiltered ? (
          <>
            {' '}
            or <Link href="/recommendations?status=any">show all states</Link>
          </>
        ) : null}
      </p>
    </Empty>
  );
}
