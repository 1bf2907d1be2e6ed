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

const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;

/** A probe of the API in `deploy/kubernetes`. */
export interface Probe {
  readonly name: (typeof PROBES)[number];
  readonly path: string;
  readonly timeoutSeconds: number;
}

interface ApiManifest {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly [ApiContainer] } };
  };
}

type ApiContainer = Readonly<
  Record<Probe['name'], { readonly httpGet: { readonly path: string }; timeoutSeconds?: number }>
>;

/** As Kubernetes calls them: one without a time-out has one second. */
export function readApiProbes(): readonly Probe[] {
  const [deployment = ''] = readText('deploy/kubernetes/api.yaml').split('\n---\n');
  const { spec } = parse(deployment) as ApiManifest;
  const [container] = spec.template.spec.containers;
  return PROBES.map((name) => {
    const { httpGet, timeoutSeconds = 1 } = container[name];
    return { name, path: httpGet.path, timeoutSeconds };
  });
}
