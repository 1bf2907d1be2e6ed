import {
  formatMoney,
  formatNumber,
  type AnalyticsMonthly,
  type ProviderDescription,
  type ProviderFigures,
} from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { useAnalyticsQueries } from '../../data/analytics.ts';
import { useProviderQueries } from '../../data/providers.ts';
import { formatGb, formatMonth, formatShortMonth } from '../../format/values.ts';
import { Card } from '../../parts/card.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Plot } from '../../parts/plot.tsx';

interface Measure {
  readonly value: 'data' | 'uploads' | 'saved';
  readonly title: string;
  readonly caption: string;
  readonly of: (figures: ProviderFigures) => number;
  readonly format: (value: number) => string;
}

const DATA: Measure = {
  value: 'data',
  title: 'Data routed',
  caption: 'Data routed by month and store',
  of: ({ gbRouted }) => gbRouted,
  format: formatGb,
};

const MEASURES: readonly Measure[] = [
  DATA,
  {
    value: 'uploads',
    title: 'Uploads',
    caption: 'Completed uploads by month and store',
    of: ({ files }) => files,
    format: formatNumber,
  },
  {
    value: 'saved',
    title: 'Cheaper than S3',
    caption:
      'How much cheaper than S3 Standard the uploads of a month are, every month; deleted files included',
    of: ({ savedVsAwsUsd }) => savedVsAwsUsd,
    format: formatMoney,
  },
];

/** Twelve months by store; what is shown of them is in the URL. */
export function Months() {
  const monthly = useQuery(useAnalyticsQueries().monthly);
  const catalogue = useQuery(useProviderQueries().catalogue);
  const [search, setSearch] = useSearchParams();
  const measure = MEASURES.find(({ value }) => value === search.get('show')) ?? DATA;
  const show = (value: Measure['value']) =>
    setSearch(
      (current) => {
        const next = new URLSearchParams(current);
        next.set('show', value);
        return next;
      },
      { replace: true },
    );
  return (
    <Card
      title="By month"
      aside={<Choice label="Show" value={measure.value} options={MEASURES} onChange={show} />}
    >
      <Loaded query={monthly} what="the months">
        {({ months }) =>
          months.every(({ uploads }) => uploads === 0) ? (
            <Empty>
              <p>No upload in the last twelve months.</p>
              <Link href="/key">Upload a test file</Link>
            </Empty>
          ) : (
            <Loaded query={catalogue} what="the catalogue of stores">
              {({ items }) => <MonthsPlot months={months} stores={items} measure={measure} />}
            </Loaded>
          )
        }
      </Loaded>
    </Card>
  );
}

interface MonthsPlotProps {
  readonly months: AnalyticsMonthly['months'];
  readonly stores: readonly ProviderDescription[];
  readonly measure: Measure;
}

/** A store has the colour of its place in the catalogue. */
function MonthsPlot({ months: all, stores, measure }: MonthsPlotProps) {
  // Without the empty months before the first upload.
  const months = all.slice(all.findIndex(({ uploads }) => uploads > 0));
  const used = stores
    .map((store, index) => ({ ...store, color: index + 1 }))
    .filter(({ provider }) =>
      months.some(({ byProvider }) => byProvider.some((figures) => figures.provider === provider)),
    );
  return (
    <Plot
      caption={measure.caption}
      kind="bars"
      pointTitle="Month"
      points={months.map(({ month }) => ({
        label: formatMonth(month),
        tick: formatShortMonth(month),
      }))}
      series={used.map(({ provider, title, color }) => ({
        label: title,
        color,
        values: months.map(({ byProvider }) => {
          const figures = byProvider.find((each) => each.provider === provider);
          return figures ? measure.of(figures) : 0;
        }),
      }))}
      format={measure.format}
    />
  );
}
