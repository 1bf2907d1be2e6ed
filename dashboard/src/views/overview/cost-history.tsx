import { formatMoney } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useScanQueries } from '../../data/scans.ts';
import { formatDate, formatShortDate } from '../../format/values.ts';
import { Card } from '../../parts/card.tsx';
import { Plot } from '../../parts/plot.tsx';
import { costHistory } from './audits.ts';

/** What the accounts cost, audit by audit. Nothing before the second one. */
export function CostHistory() {
  const { data } = useQuery(useScanQueries().scans);
  const { points, series } = costHistory(data?.items ?? [], (iso) => ({
    label: formatDate(iso),
    tick: formatShortDate(iso),
  }));
  if (points.length < 2) return null;
  return (
    <Card title="Cost over the audits">
      <Plot
        caption="US dollars a month at each audit of the last 90 days"
        kind="lines"
        pointTitle="Audit"
        points={points}
        series={series}
        format={formatMoney}
      />
    </Card>
  );
}
