import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parse, parseAllDocuments } from 'yaml';
import { TASK_QUEUES } from '../../../messages/names.ts';
import { CHART, helm, KUBERNETES, renderChart, runHelm } from '../../harness/helm-chart.ts';
import { readText, ROOT } from './compose.ts';

const FOLDER = 'deploy/kubernetes';
const FILES = 'deploy/helm/storage-routing';
/** The one addition to the plain manifests: an upgrade restarts what reads a changed setting. */
const ADDED = 'checksum/settings';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** The fields of the objects that the tests read. */
interface Rendered extends Manifest {
  readonly metadata: Manifest['metadata'] & { readonly annotations?: object };
  readonly spec: {
    readonly replicas?: number;
    readonly minReplicas?: number;
    readonly maxReplicas?: number;
    readonly minReplicaCount?: number;
    readonly maxReplicaCount?: number;
    readonly scaleTargetRef?: { readonly name: string };
    readonly triggers?: readonly Readonly<Record<string, object>>[];
    readonly metrics?: readonly object[];
    readonly maxUnavailable?: number;
    readonly egress?: readonly { readonly to: object; readonly ports?: object }[];
    readonly podMetricsEndpoints?: readonly { readonly relabelings: readonly Relabeling[] }[];
    readonly template: { readonly metadata: { annotations: Record<string, string> }; spec: Pod };
  };
}

interface Relabeling {
  readonly regex: string;
  readonly targetLabel: string;
}

interface Pod {
  readonly containers: readonly [{ image: string } & Readonly<Record<string, object>>];
  readonly volumes: readonly { readonly name: string }[];
  readonly [field: string]: unknown;
}

type Schema = Readonly<Record<string, unknown>>;

/** `--set` of each value. */
const set = (...values: readonly string[]): string[] => values.flatMap((value) => ['--set', value]);

const render = (...values: readonly string[]): Promise<Rendered[]> => renderChart(set(...values));

const ofKind = (objects: readonly Rendered[], kind: string): Rendered[] =>
  objects.filter((each) => each.kind === kind);

function deploymentsOf(objects: readonly Rendered[]): Map<string, Rendered['spec']> {
  const deployments = ofKind(objects, 'Deployment');
  return new Map(deployments.map(({ metadata, spec }) => [metadata.name, spec]));
}

function podOf(objects: readonly Rendered[], name: string): Pod {
  return deploymentsOf(objects).get(name)?.template.spec ?? assert.fail(name);
}

/** Each under its kind and name. */
function byName<T extends Manifest>(manifests: readonly T[]): Record<string, T> {
  const entries = manifests.map((each) => [`${each.kind} ${each.metadata.name}`, each] as const);
  assert.equal(new Set(entries.map(([name]) => name)).size, entries.length);
  return Object.fromEntries(entries);
}

/** The manifests as `kubectl apply --kustomize` sends them, without their namespace. */
function plainManifests(): Record<string, Manifest> {
  const { images } = parse(readText(`${FOLDER}/kustomization.yaml`)) as {
    images: { name: string; newTag: string }[];
  };
  const manifests = readdirSync(join(ROOT, FOLDER))
    .filter((name) => name !== 'kustomization.yaml')
    .flatMap((name) => parseAllDocuments(readText(`${FOLDER}/${name}`)))
    .map((document) => document.toJS() as Rendered)
    // Helm creates it: --create-namespace.
    .filter(({ kind }) => kind !== 'Namespace');
  for (const { spec } of ofKind(manifests, 'Deployment'))
    for (const container of spec.template.spec.containers) {
      const { newTag } = images.find(({ name }) => name === container.image) ?? assert.fail();
      container.image = `${container.image}:${newTag}`;
    }
  return byName(manifests);
}

/** The paths of the values as the README's table has them. */
function pathsOf(value: unknown, path = ''): string[] {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  const isWhole = /^settings\.|\.resources$/.test(path);
  if (!isMap || isWhole || Object.keys(value).length === 0)
    return [
      path
        .replace(/^workers\.\w+/, 'workers.<queue>')
        .replace(/^images\.(?:api|worker)/, 'images.<process>'),
    ];
  return Object.entries(value).flatMap(([key, inner]) =>
    pathsOf(inner, path === '' ? key : `${path}.${key}`),
  );
}

describe('the files of the Helm chart', () => {
  it('have the version of the package', () => {
    const { version } = JSON.parse(readText('package.json')) as { version: string };
    const chart = parse(readText(`${FILES}/Chart.yaml`)) as Record<string, string>;
    assert.deepEqual([chart['version'], chart['appVersion']], [version, version]);
  });

  const [before = '', table = ''] = readText(`${FILES}/README.md`).split('\n## Values\n');
  const firstColumn = (text: string) =>
    [...text.matchAll(/^\| `([\w.<>]+)` /gm)].map(([, cell = '']) => cell).toSorted();

  it('explain every value, and no other, in the README', () => {
    const values = pathsOf(parse(readText(`${FILES}/values.yaml`)));
    assert.deepEqual(firstColumn(table), [...new Set(values)].toSorted());
  });

  it('leave no place for a value that is not known', () => {
    const open = (schema: Schema, at: string): string[] => [
      ...('properties' in schema && schema['additionalProperties'] !== false ? [at] : []),
      ...Object.entries(schema).flatMap(([key, inner]) =>
        typeof inner === 'object' && inner !== null ? open(inner as Schema, `${at}/${key}`) : [],
      ),
    ];
    const schema = JSON.parse(readText(`${FILES}/values.schema.json`)) as Schema;
    assert.deepEqual(open(schema, ''), []);
  });

  it('explain every key of the Secret in the README', () => {
    const keys = [...readText(`${FOLDER}/api.yaml`).matchAll(/\bkey: (\w+)/g)];
    assert.deepEqual(firstColumn(before), keys.map(([, key = '']) => key).toSorted());
  });
});

if (helm === undefined)
  process.stdout.write('No helm is on this machine: the chart is not rendered.\n');
else
  describe('the Helm chart, by helm', () => {
    it('renders deploy/kubernetes, with a checksum of the settings besides', async () => {
      const rendered = await render();
      for (const [name, { template }] of deploymentsOf(rendered)) {
        const { annotations } = template.metadata;
        assert.match(annotations[ADDED] ?? '', /^[0-9a-f]{64}$/, name);
        delete annotations[ADDED];
      }
      assert.deepEqual(byName<Manifest>(rendered), plainManifests());
    });

    it('is free of what lint finds', async () => {
      await runHelm('lint', '--strict', ...KUBERNETES, CHART);
    });

    it('packages the alarms of deploy/alerts.yml with their templates', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'chart-'));
      try {
        await runHelm('package', CHART, '--destination', folder);
        const [name = ''] = readdirSync(folder);
        const objects = await renderChart<Rendered>(
          set('monitoring.rules=true'),
          join(folder, name),
        );
        const [rule] = ofKind(objects, 'PrometheusRule');
        assert.deepEqual(rule?.spec, parse(readText('deploy/alerts.yml')));
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    const BOTH = 'workers.scans.autoscaling.hpa=true,workers.scans.autoscaling.keda=true';
    for (const [value, message] of [
      ['unknwon=1', /'unknwon' not allowed/],
      ['api.replica=3', /'replica' not allowed/],
      ['workers.copies.replicas=1', /'copies' not allowed/],
      ['settings.common.TEMPORAL_ADRESS=a:1', /'TEMPORAL_ADRESS' not allowed/],
      ['settings.common.TEMPORAL_TLS_CLIENT_KEY_DATA=key', /CLIENT_KEY_DATA' not allowed/],
      // A large number would arrive as 1e+12.
      ['settings.api.MIGRATION_MAX_BYTES=1000000000000', /MIGRATION_MAX_BYTES.*want string/],
      ['secrets.name=', /secrets\.name is empty: it names your Secret/],
      [BOTH, /workers\.scans\.autoscaling: hpa and keda are both true/],
      ['api.autoscaling.minReplicas=11', /api\.autoscaling: minReplicas is above maxReplicas/],
      ['workers.uploads.autoscaling.minReplicas=0', /minReplicas/],
      ['images.api.digest=latest', /images\/api\/digest/],
    ] as const)
      it(`refuses ${value}`, async () => {
        await assert.rejects(render(value), message);
      });

    it('refuses a Kubernetes without the sleep before a stop', async () => {
      const template = runHelm('template', 'release', CHART, '--kube-version', '1.29.0');
      await assert.rejects(template, /1\.30\.0/);
    });

    it('has images by tag or digest, from a registry with credentials', async () => {
      const digest = `sha256:${'a'.repeat(64)}`;
      const objects = await render(
        'images.api.repository=registry.example.com/api',
        `images.api.digest=${digest}`,
        'images.worker.tag=1.4.0',
        'images.pullSecrets={registry}',
      );
      const [api, worker] = [podOf(objects, 'api'), podOf(objects, 'worker-scans')];
      assert.equal(api.containers[0].image, `registry.example.com/api@${digest}`);
      assert.equal(worker.containers[0].image, 'storage-routing-worker:1.4.0');
      assert.deepEqual(worker['imagePullSecrets'], [{ name: 'registry' }]);
    });

    it('names Secrets, and never has one', async () => {
      const objects = await render('secrets.name=mine', 'secrets.aws=identity');
      assert.deepEqual(ofKind(objects, 'Secret'), []);
      for (const [name, { template }] of deploymentsOf(objects)) {
        const text = JSON.stringify(template.spec);
        assert.ok(text.includes('"secretName":"mine"'), name);
        assert.ok(text.includes('{"name":"mine","key":"temporal_api_key"}'), name);
        const hasIdentity = name === 'api' || name === 'worker-scans';
        assert.equal(text.includes('{"secretRef":{"name":"identity"}}'), hasIdentity, name);
      }
    });

    it('gives the AWS role to the account of the API and of the scans', async () => {
      const role = 'arn:aws:iam::123456789012:role/scanner';
      const key = String.raw`serviceAccount.annotations.eks\.amazonaws\.com/role-arn`;
      const [account] = ofKind(await render(`${key}=${role}`), 'ServiceAccount');
      assert.deepEqual(account?.metadata.annotations, { 'eks.amazonaws.com/role-arn': role });
      const own = await render('serviceAccount.create=false', 'serviceAccount.name=mine');
      assert.deepEqual(ofKind(own, 'ServiceAccount'), []);
      assert.equal(podOf(own, 'api')['serviceAccountName'], 'mine');
    });

    it('mounts files of yours, and schedules a fleet as you say', async () => {
      const objects = await render(
        'files.configMap=stores',
        'files.secret=certificates',
        'workers.migrations.scheduling.nodeSelector.pool=copies',
      );
      for (const [name, { template }] of deploymentsOf(objects)) {
        const { containers, volumes } = template.spec;
        assert.ok(
          volumes.some((volume) => volume.name === 'files'),
          name,
        );
        const mounts = JSON.stringify(containers[0]['volumeMounts']);
        assert.ok(mounts.includes('/etc/storage-routing-files'), name);
        const { nodeSelector } = template.spec;
        const selected = name === 'worker-migrations' ? { pool: 'copies' } : undefined;
        assert.deepEqual(nodeSelector, selected, name);
      }
    });

    it('restarts what reads a changed setting, and nothing else', async () => {
      const sums = async (...values: string[]) =>
        new Map(
          [...deploymentsOf(await render(...values))].map(([name, { template }]) => [
            name,
            template.metadata.annotations[ADDED],
          ]),
        );
      const before = await sums();
      const changedBy = async (value: string) => {
        const after = await sums(value);
        return [...before.keys()].filter((name) => before.get(name) !== after.get(name));
      };
      assert.deepEqual(await changedBy('settings.api.JWT_ISSUER=https://id.example.com'), ['api']);
      assert.equal((await changedBy('settings.worker.DECISION_HORIZON_MONTHS=6m')).length, 4);
      assert.equal((await changedBy('settings.common.LOG_LEVEL=debug')).length, 5);
    });

    it('scales by processor time, and leaves the count to the autoscaler', async () => {
      const objects = await render('api.autoscaling.hpa=true', 'api.autoscaling.maxReplicas=20');
      const [hpa, ...others] = ofKind(objects, 'HorizontalPodAutoscaler');
      assert.deepEqual(others, []);
      assert.deepEqual(
        [
          hpa?.metadata.name,
          hpa?.spec.scaleTargetRef?.name,
          hpa?.spec.minReplicas,
          hpa?.spec.maxReplicas,
        ],
        ['api', 'api', 2, 20],
      );
      const target = { type: 'AverageValue', averageValue: '700m' };
      assert.deepEqual(hpa?.spec.metrics, [
        { type: 'Resource', resource: { name: 'cpu', target } },
      ]);
      const deployments = deploymentsOf(objects);
      assert.equal(deployments.get('api')?.replicas, undefined);
      assert.equal(deployments.get('worker-uploads')?.replicas, 2);
    });

    it('scales each fleet by the backlog of its queue', async () => {
      const objects = await render(
        ...TASK_QUEUES.map((queue) => `workers.${queue}.autoscaling.keda=true`),
        'settings.common.TEMPORAL_ADDRESS=acme.a1b2c.tmprl.cloud:7233',
        'settings.common.TEMPORAL_NAMESPACE=acme.a1b2c',
      );
      assert.deepEqual(ofKind(objects, 'HorizontalPodAutoscaler'), []);
      const scaled = ofKind(objects, 'ScaledObject');
      assert.deepEqual(
        scaled.map(({ spec }) => spec.scaleTargetRef?.name ?? '').toSorted(),
        TASK_QUEUES.map((queue) => `worker-${queue}`).toSorted(),
      );
      const migrations = scaled.find(({ metadata }) => metadata.name === 'worker-migrations');
      assert.deepEqual(migrations?.spec.triggers, [
        {
          type: 'temporal',
          metadata: {
            endpoint: 'acme.a1b2c.tmprl.cloud:7233',
            namespace: 'acme.a1b2c',
            taskQueue: 'migrations',
            queueTypes: 'workflow,activity',
            targetQueueSize: '16',
            apiKeyFromEnv: 'TEMPORAL_API_KEY',
          },
        },
        { type: 'cpu', metricType: 'AverageValue', metadata: { value: '700m' } },
      ]);
      for (const [name, { replicas }] of deploymentsOf(objects))
        assert.equal(replicas, name === 'api' ? 2 : undefined, name);
    });

    it('never blocks the drain of a node', async () => {
      const objects = await render('api.replicas=1', 'workerDisruptionBudgets=true');
      const budgets = ofKind(objects, 'PodDisruptionBudget');
      assert.equal(budgets.length, 1 + TASK_QUEUES.length);
      for (const { metadata, spec } of budgets) assert.equal(spec.maxUnavailable, 1, metadata.name);
    });

    it('reaches servers outside the cluster by address, and what else you name', async () => {
      const objects = await render(
        'networkPolicy.mongodb.cidrs={10.1.0.0/16}',
        'networkPolicy.extraEgress[0].to[0].ipBlock.cidr=169.254.170.23/32',
      );
      const [policy] = ofKind(objects, 'NetworkPolicy');
      const egress = policy?.spec.egress ?? [];
      assert.deepEqual(egress[2]?.to, [{ ipBlock: { cidr: '10.1.0.0/16' } }]);
      assert.deepEqual(egress.at(-1), { to: [{ ipBlock: { cidr: '169.254.170.23/32' } }] });
      const none = await render('networkPolicy.enabled=false');
      assert.deepEqual(ofKind(none, 'NetworkPolicy'), []);
    });

    it('is scraped once, under the jobs and fleets that the alarms select', async () => {
      const objects = await render('monitoring.podMonitor=true', 'monitoring.labels.release=kps');
      for (const [name, { template }] of deploymentsOf(objects))
        assert.deepEqual(Object.keys(template.metadata.annotations), [ADDED], name);
      const [monitor] = ofKind(objects, 'PodMonitor');
      const [endpoint] = monitor?.spec.podMetricsEndpoints ?? [];
      const labelsOf = (component: string) =>
        Object.fromEntries(
          (endpoint?.relabelings ?? []).flatMap(({ regex, targetLabel }) => {
            const [, first] = new RegExp(`^(?:${regex})$`).exec(component) ?? [];
            return first === undefined ? [] : [[targetLabel, first]];
          }),
        );
      assert.deepEqual(labelsOf('api'), { job: 'api' });
      assert.deepEqual(labelsOf('worker-scans'), { job: 'worker', fleet: 'scans' });
    });
  });
