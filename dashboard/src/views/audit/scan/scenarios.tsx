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
          { title: 'Now', isNumber: true, cell: ({ stayUsd }) => formatMoney(stayUsd) },
          { title: 'After', isNumber: true, cell: ({ optimalUsd }) => formatMoney(optimalUsd) },
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

interface ExitScenarioProps {
  readonly exit: Exit;
  readonly source: Provider;
}

/** Leaving the source altogether, with and without the waiver of its egress. */
export function ExitScenario({ exit, source }: ExitScenarioProps) {
  const providerTitle = useProviderTitle();
  const { monthlyCostUsd, remainingMonthlyUsd } = exit;
  const totalUsd = monthlyCostUsd + remainingMonthlyUsd;
  const hasWaiver = exit.oneOffWithExitWaiverUsd < exit.oneOffUsd;
  const [moved = 0, rest = 0] = roundRows([monthlyCostUsd, remainingMonthlyUsd], totalUsd);
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
            formatRow(remainingMonthlyUsd, rest),
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
          { title: 'Egress', cell: ({ way }) => way },
          { title: 'Costs once', isNumber: true, cell: ({ usd }) => formatMoney(usd) },
          { title: 'Paid back', isNumber: true, cell: ({ months }) => formatPayback(months) },
        ]}
      />
    </Card>
  );
}
