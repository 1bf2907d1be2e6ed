import type { DecisionReport } from '@storage-routing/client';
import { useProviderTitle } from '../../../data/providers.ts';
import { formatPayback, readsWords } from '../../../format/audit.ts';
import { formatUsd } from '../../../format/values.ts';
import { Facts } from '../../../parts/facts.tsx';
import { Card } from '../../../parts/card.tsx';
import { DataTable } from '../../../parts/data-table.tsx';

/** The same answer under three assumptions about reads, side by side. */
export function ReadScenarios({ report }: { readonly report: DecisionReport }) {
  return (
    <Card title="If it is read more, or less">
      <p>
        A listing says when an object was last changed, not when it was last read. What separates
        these three is how often objects are read. The costs above are those of storage alone, as on
        the bill; the savings above are, for each recommendation, the smaller of the first two.
      </p>
      <div className="columns scenarios">
        {report.readScenarios.map(({ reads, stayMonthlyUsd, optimalMonthlyUsd }) => (
          <section key={reads} className="scenario" aria-labelledby={`reads-${reads}`}>
            <h3 id={`reads-${reads}`}>{readsWords(reads).title}</h3>
            <p className="quiet">{readsWords(reads).assumption}</p>
            <Facts
              facts={[
                ['Staying', `${formatUsd(stayMonthlyUsd)} a month`],
                ['As recommended', `${formatUsd(optimalMonthlyUsd)} a month`],
                ['Saves', `${formatUsd(stayMonthlyUsd - optimalMonthlyUsd)} a month`],
              ]}
            />
          </section>
        ))}
      </div>
    </Card>
  );
}

type Exit = NonNullable<DecisionReport['exitScenario']>;

/** Leaving the cloud altogether, with and without the waiver of its egress. */
export function ExitScenario({ exit }: { readonly exit: Exit }) {
  const providerTitle = useProviderTitle();
  return (
    <Card title="Leaving AWS altogether">
      <p>
        Everything that may move would cost {formatUsd(exit.monthlyCostUsd)} a month at{' '}
        {providerTitle(exit.provider)}. It pays back from what those objects cost today, without
        archived objects, old versions and unfinished uploads, which may not move. AWS waives the
        egress of customers who leave, if they ask for it first.
      </p>
      <DataTable
        caption="What leaving costs once"
        rows={[
          { way: 'Paid', usd: exit.oneOffUsd, months: exit.breakEvenMonths },
          {
            way: 'Waived',
            usd: exit.oneOffWithExitWaiverUsd,
            months: exit.breakEvenMonthsWithExitWaiver,
          },
        ]}
        rowKey={({ way }) => way}
        columns={[
          { title: 'Egress', cell: ({ way }) => way },
          { title: 'Costs once', isNumber: true, cell: ({ usd }) => formatUsd(usd) },
          { title: 'Pays back', isNumber: true, cell: ({ months }) => formatPayback(months) },
        ]}
      />
    </Card>
  );
}
