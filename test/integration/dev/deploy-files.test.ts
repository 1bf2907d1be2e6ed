import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { createCache } from '../../../dev/system/cache.ts';
import { createProgress } from '../../../dev/system/progress.ts';
import { findProgram } from '../../../dev/services/service.ts';
import { services } from '../../../dev/services/services.ts';
import { TASK_QUEUES } from '../../../messages/names.ts';
import { call, eventually } from '../../harness/customer.ts';
import { readApiProbes, readQueries } from '../../harness/deploy-files.ts';
import { openHangingProxy } from '../../harness/hanging-proxy.ts';
import { CHART, helm, KUBERNETES, runHelm } from '../../harness/helm-chart.ts';
import { programPath } from '../../harness/programs.ts';
import { selectorsOf } from '../../harness/promql.ts';
import { localServers, localService } from '../../servers.ts';
import { ROOT } from './fixtures/run.ts';

const run = promisify(execFile);
const DEPLOY = join(ROOT, 'deploy');
const INSTALL_WITHIN_MS = 5 * 60_000;

describe('the Kubernetes manifests', function () {
  this.timeout(INSTALL_WITHIN_MS);
  const folder = join(DEPLOY, 'kubernetes');
  let validator: string;
  before(async () => {
    const progress = createProgress();
    const context = { progress, cache: createCache(progress) };
    validator = (await findProgram(services.kubernetesValidate, context)).command;
  });

  for (const name of readdirSync(folder).filter((file) => file !== 'kustomization.yaml'))
    it(`match the schemas of Kubernetes, with no unknown field: ${name}`, async () => {
      await run(validator, ['--strict', join(folder, name)]);
    });

  if (helm !== undefined)
    it('match them as the chart renders them with all that Kubernetes knows', async () => {
      const autoscaling = ['api', ...TASK_QUEUES.map((queue) => `workers.${queue}`)].map(
        (path) => `${path}.autoscaling.hpa=true`,
      );
      const values = [
        ...autoscaling,
        'workerDisruptionBudgets=true',
        'secrets.aws=identity',
        'files.configMap=stores',
        'files.secret=certificates',
        'images.pullSecrets={registry}',
        'networkPolicy.temporal.cidrs={0.0.0.0/0}',
        'api.scheduling.priorityClassName=high',
      ];
      const sets = values.flatMap((value) => ['--set', value]);
      const text = await runHelm('template', 'release', CHART, ...KUBERNETES, ...sets);
      const rendered = await mkdtemp(join(tmpdir(), 'chart-'));
      try {
        await writeFile(join(rendered, 'chart.yaml'), text);
        await run(validator, ['--strict', join(rendered, 'chart.yaml')]);
      } finally {
        await rm(rendered, { recursive: true });
      }
    });

  it('keep an API in service whose Temporal does not answer any more', async () => {
    const { stack } = await localServers();
    const { addApi } = await localService();
    const temporal = await openHangingProxy(stack.environment['TEMPORAL_ADDRESS'] ?? '');
    const api = await addApi({ TEMPORAL_ADDRESS: temporal.address });
    const becomes = async (status: string) =>
      await eventually(`it is ${status}`, async () => {
        return (await call(api.url, 'GET /health')).body['status'] === status;
      });
    try {
      await becomes('ok');
      temporal.hang();
      await becomes('degraded');
      for (const { name, path, timeoutSeconds } of readApiProbes()) {
        const signal = AbortSignal.timeout(timeoutSeconds * 1_000);
        assert.equal((await fetch(`${api.url}${path}`, { signal })).status, 200, name);
      }
    } finally {
      await api.kill();
      await temporal.close();
    }
  });
});

describe('the queries of Grafana and of the alarms', () => {
  for (const { at, expression } of readQueries())
    it(`are PromQL: ${at}`, () => {
      assert.ok(selectorsOf(expression).length > 0);
    });
});

const promtool = programPath('promtool');
if (promtool === undefined)
  process.stdout.write('No promtool is on this machine: the alarms are not tried.\n');
else
  describe('the configuration of Prometheus, by promtool', () => {
    it('is valid, with the alarms', async () => {
      await run(promtool, ['check', 'config', join(DEPLOY, 'prometheus.yml')]);
    });

    it('has alarms that fire when they should, and only then', async () => {
      await run(promtool, ['test', 'rules', join(DEPLOY, 'alerts.test.yml')]);
    });
  });
