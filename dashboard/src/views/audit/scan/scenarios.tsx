import {
  formatMoney,
  formatPayback,
  formatRow,
  roundRows,
  type DecisionReport,
  type Provider,
} from '@storage-routing/client';
import { useProviderTitle } from '../../../data/providers.ts';
import { Facts } from '../../../parts/facts.tsx';
import { Card } from '../../../parts/card.tsx';
import { numberColumn, textColumn } from '../../../parts/columns.tsx';
import { DataTable } from '../../../parts/data-table.tsx';

interface ReadScenariosProps {
  readonly report: DecisionReport;
  /** The bill or metrics show them. */
  readonly knowsReads: boolean;
}

/** The same answer under two assumptions about reads; equal ones are one row. */
export function ReadScenarios({ report, knowsReads }: ReadScenariosProps) {
  return (
    <Card title="If it is read less">
      <p>
        {knowsReads
          ? 'What the bill and CloudWatch show of the reads, and half of that:'
          : 'A listing says when an object was written, not how often it is read:'}
      </p>
      <DataTable
        caption="Storage and reads, a month"
        rows={mergeEqual(report.readScenarios)}
        rowKey={({ titles }) => titles.join()}
        columns={[
          { title: 'How much is read', cell: ({ titles }) => titles.join('; ') },
          numberColumn('Now', 'stayUsd', formatMoney),
          numberColumn('After', 'optimalUsd', formatMoney),
        ]}
      />
      <p className="quiet">
        What you save is the smaller of the two, step by step. Each recommendation shows what else
        it withstands.
      </p>
    </Card>
  );
}

interface ScenarioRow {
  readonly titles: string[];
  readonly stayUsd: number;
  readonly optimalUsd: number;
}

function mergeEqual(scenarios: DecisionReport['readScenarios']): readonly ScenarioRow[] {
  const rows: ScenarioRow[] = [];
  for (const { title, stayMonthlyUsd: stayUsd, optimalMonthlyUsd: optimalUsd } of scenarios) {
    const equal = rows.find((row) => row.stayUsd === stayUsd && row.optimalUsd === optimalUsd);
    if (equal) equal.titles.push(title);
    else rows.push({ titles: [title], stayUsd, optimalUsd });
  }
  return rows;
}

type Exit = NonNullable<DecisionReport['exitScenario']>;

/** Leaving the source altogether, with and without the waiver of its egress. */
export function ExitScenario({ exit, source }: { readonly exit: Exit; readonly source: Provider }) {
  const providerTitle = useProviderTitle();
  const { monthlyCostUsd, remainingMonthlyUsd } = exit;
  const totalUsd = monthlyCostUsd + remainingMonthlyUsd;
  const hasWaiver = exit.oneOffWithExitWaiverUsd < exit.oneOffUsd;
  const [moved = 0, remaining = 0] = roundRows([monthlyCostUsd, remainingMonthlyUsd], totalUsd);
  return (
    <Card title={`Leaving ${providerTitle(source)} altogether`}>
      <p>
        For comparison, not a recommendation.
        {hasWaiver ? ' Some providers waive the egress if you ask before you leave.' : null}
      </p>
      <Facts
        facts={[
          [`What may move, at ${providerTitle(exit.provider)}`, formatRow(monthlyCostUsd, moved)],
          [
            'What stays: archives, old versions, what is not touched',
            formatRow(remainingMonthlyUsd, remaining),
          ],
          ['Together', <strong>{`${formatMoney(totalUsd)} a month`}</strong>],
        ]}
      />
      <DataTable
        caption="What leaving costs once"
        rows={[
          { way: 'Paid', usd: exit.oneOffUsd, months: exit.breakEvenMonths },
          ...(hasWaiver
            ? [
                {
                  way: 'Waived',
                  usd: exit.oneOffWithExitWaiverUsd,
                  months: exit.breakEvenMonthsWithExitWaiver,
                },
              ]
            : []),
        ]}
        rowKey={({ way }) => way}
        columns={[
          textColumn('Egress', 'way'),
          numberColumn('Costs once', 'usd', formatMoney),
          numberColumn('Paid back', 'months', formatPayback),
        ]}
      />
    </Card>
  );
}
