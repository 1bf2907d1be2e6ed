import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { SECRETS_BY_FILE } from '../../../config/environment.ts';
import { TASK_QUEUES } from '../../../messages/names.ts';
import { isSetting, readCompose, readText, ROOT } from './compose.ts';

const FOLDER = 'deploy/kubernetes';

/** The fields that the tests read; `integration/dev/deploy-files.test.ts` checks the complete form. */
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly template: { readonly spec: PodSpec } };
}

interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly shareProcessNamespace: boolean;
  readonly securityContext: object;
  readonly serviceAccountName?: string;
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly secret?: { readonly items: { readonly key: string }[] } }[];
}

type Probe = { readonly httpGet: { readonly path: string } };
interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly mountPath: string }[];
}

const files = readdirSync(join(ROOT, FOLDER)).filter((name) => name !== 'kustomization.yaml');
const manifests = files.flatMap((name) =>
  parseAllDocuments(readText(`${FOLDER}/${name}`)).map((document) => document.toJS() as Manifest),
);
const deployments = manifests
  .filter(({ kind }) => kind === 'Deployment')
  .map(({ metadata, spec }) => {
    const pod = spec?.template.spec ?? assert.fail(metadata.name);
    const [container = assert.fail(metadata.name)] = pod.containers;
    return { name: metadata.name, pod, container };
  });

/** The secrets among the variables of a process: those that are given by file. */
const secretsIn = (variables: readonly string[]): string[] =>
  variables
    .filter((name) => name.endsWith('_FILE') && !isSetting(name))
    .map((name) => name.slice(0, -'_FILE'.length));

describe('the Kubernetes manifests', () => {
  it('are all in the kustomization', () => {
    const kustomization = readText(`${FOLDER}/kustomization.yaml`);
    for (const name of files) assert.match(kustomization, new RegExp(`^  - ${name}$`, 'm'));
  });

  it('have an API and a separate fleet for each queue', () => {
    const queueOf = ({ env }: Container) => env.find(({ name }) => name === 'WORKER_QUEUES')?.value;
    const fleets = deployments.map(({ name, container }) => `${name} ${queueOf(container)}`);
    const expected = TASK_QUEUES.map((queue) => `worker-${queue} ${queue}`);
    assert.deepEqual(fleets.toSorted(), ['api undefined', ...expected].toSorted());
  });

  it('set only variables that the configuration reads', () => {
    const names = manifests.flatMap(({ data = {} }) => Object.keys(data));
    const own = deployments.flatMap(({ container }) => container.env.map(({ name }) => name));
    for (const name of [...names, ...own.filter((one) => !one.endsWith('_FILE'))])
      assert.ok(isSetting(name), name);
  });

  it('give each fleet the secrets that it has with compose, and the database by file', () => {
    const { services } = readCompose();
    for (const { name, container, pod } of deployments) {
      const secrets = secretsIn(container.env.map((variable) => variable.name));
      const known: readonly string[] = SECRETS_BY_FILE;
      for (const secret of secrets) assert.ok(known.includes(secret), secret);
      const withCompose = secretsIn(Object.keys(services[name]?.environment ?? {}));
      assert.deepEqual(secrets.toSorted(), [...withCompose, 'MONGODB_URI'].toSorted(), name);
      const items = pod.volumes.flatMap(({ secret }) => secret?.items ?? []);
      const mounted = items.map(({ key }) => key.toUpperCase());
      assert.deepEqual(mounted.toSorted(), secrets.toSorted(), name);
    }
  });

  it('mount no volume below the folder where a cluster mounts tokens', () => {
    for (const { name, container } of deployments)
      for (const { mountPath } of container.volumeMounts)
        assert.doesNotMatch(mountPath, /^(?:\/var)?\/run\b/, name);
  });

  it('have no secret, and nothing that passes for a real issuer', () => {
    assert.ok(!manifests.some(({ kind }) => kind === 'Secret'));
    const api = manifests.find(({ metadata }) => metadata.name === 'storage-routing-api');
    assert.deepEqual([api?.data?.['JWT_ISSUER'], api?.data?.['JWT_AUDIENCE']], ['', '']);
  });

  it('give the AWS identity to the API and the scans only', () => {
    const holders = deployments.filter(({ pod }) => pod.serviceAccountName !== undefined);
    assert.deepEqual(holders.map(({ name }) => name).toSorted(), ['api', 'worker-scans']);
  });

  for (const { name, pod, container } of deployments)
    it(`run ${name} without rights, on a read-only file system, with the probes of its image`, () => {
      assert.ok('runAsNonRoot' in pod.securityContext && pod.securityContext.runAsNonRoot === true);
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      assert.equal(container.livenessProbe.httpGet.path, '/health');
      assert.equal(container.readinessProbe.httpGet.path, '/ready');
      // The drain of a worker takes 20 s, that of the API 10 s after the 5 s before it.
      assert.ok(pod.terminationGracePeriodSeconds >= 30);
      assert.equal(pod.shareProcessNamespace, true);
    });
});
