import { parse } from 'yaml';
import { readText } from '../unit/deployment/compose.ts';

/** A query of a file in `deploy/`, and where it stands. */
export interface Query {
  readonly at: string;
  readonly expression: string;
}

interface GrafanaDashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

interface AlertRules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

/** The queries of Grafana's dashboard, with its variables filled in, and those of the alarms. */
export function readQueries(): readonly Query[] {
  const dashboard = JSON.parse(
    readText('deploy/grafana/dashboards/fleets.json'),
  ) as GrafanaDashboard;
  const { groups } = parse(readText('deploy/alerts.yml')) as AlertRules;
  return [
    ...dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({
        at: `panel "${title}"`,
        expression: expr.replaceAll('$__rate_interval', '5m'),
      })),
    ),
    ...groups.flatMap(({ rules }) =>
      rules.map(({ alert, expr }) => ({ at: `alarm ${alert}`, expression: expr })),
    ),
  ];
}
