import type { DecisionReport } from '@storage-routing/client';
import { wordsOfPayback } from '../../../format/audit.ts';
import { formatUsd } from '../../../format/numbers.ts';
import { READS } from '../../../format/reads.ts';
import { PROVIDER_TITLES } from '../../../format/words.ts';
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
            <h3 id={`reads-${reads}`}>{READS[reads].title}</h3>
            <p className="quiet">{READS[reads].assumption}</p>
            <dl className="facts">
              <Amount label="Staying" usd={stayMonthlyUsd} />
              <Amount label="As recommended" usd={optimalMonthlyUsd} />
              <Amount label="Saves" usd={stayMonthlyUsd - optimalMonthlyUsd} />
            </dl>
          </section>
        ))}
      </div>
    </Card>
  );
}

function Amount({ label, usd }: { readonly label: string; readonly usd: number }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{formatUsd(usd)} a month</dd>
    </div>
  );
}

type Exit = NonNullable<DecisionReport['exitScenario']>;

/** Leaving the cloud altogether, with and without the waiver of its egress. */
export function ExitScenario({ exit }: { readonly exit: Exit }) {
  return (
    <Card title="Leaving AWS altogether">
      <p>
        Everything that may move would cost {formatUsd(exit.monthlyCostUsd)} a month at{' '}
        {PROVIDER_TITLES[exit.provider]}. It pays back from what those objects cost today, without
        archived objects, old versions and unfinished uploads, which may not move. AWS waives the
        egress of customers who leave, where they ask for it first.
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
        keyOf={({ way }) => way}
        columns={[
          { title: 'Egress', cell: ({ way }) => way },
          { title: 'Costs once', isNumber: true, cell: ({ usd }) => formatUsd(usd) },
          { title: 'Pays back', isNumber: true, cell: ({ months }) => wordsOfPayback(months) },
        ]}
      />
    </Card>
  );
}
