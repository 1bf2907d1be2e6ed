import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useParams, useSearchParams } from 'wouter';
import { useMovesQueries } from '../../data/moves-queries.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { RecommendationDetail } from './detail.tsx';

const SCAN = 'scan';

/** One recommendation. Its scan is in the address, or looked up. */
export function Recommendation() {
  const { recommendationId = '' } = useParams();
  const [parameters, setParameters] = useSearchParams();
  const scanId = parameters.get(SCAN);
  const scanOf = useQuery({
    ...useMovesQueries().scanOf(recommendationId),
    enabled: scanId === null,
  });
  const found = scanOf.data;
  useEffect(() => {
    if (typeof found === 'string') setParameters({ [SCAN]: found }, { replace: true });
  }, [found, setParameters]);
  return (
    <Page title="Recommendation">
      {scanId === null ? (
        <Loaded query={scanOf} what="the recommendation">
          {(scan) => (scan === null ? <NotFound /> : null)}
        </Loaded>
      ) : (
        <OfScan scanId={scanId} recommendationId={recommendationId} />
      )}
    </Page>
  );
}

interface OfScanProps {
  readonly scanId: string;
  readonly recommendationId: string;
}

function OfScan({ scanId, recommendationId }: OfScanProps) {
  const recommendation = useQuery(useMovesQueries().recommendation(scanId, recommendationId));
  return (
    <Loaded query={recommendation} what="the recommendation">
      {(found) => (found === null ? <NotFound /> : <RecommendationDetail found={found} />)}
    </Loaded>
  );
}

function NotFound() {
  return (
    <Empty>
      <p>There is no such recommendation. The link may be of another account.</p>
      <Link href="/recommendations">To the recommendations</Link>
    </Empty>
  );
}
