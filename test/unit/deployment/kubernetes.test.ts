import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { SECRETS_BY_FILE } from '../../../config/environment.ts';
import { TASK_QUEUES } from '../../../messages/names.ts';
import { isSetting, readCompose, readText, ROOT, settingName, settingsOf } from './compose.ts';

const FOLDER = 'deploy/kubernetes';

/** The fields that the tests read; `integration/dev/deploy-files.test.ts` checks the complete form. */
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: PolicySpec & {
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  };
}

type Labels = Readonly<Record<string, string>>;
interface Peer {
  readonly namespaceSelector?: { readonly matchLabels: Labels };
  readonly ipBlock?: { readonly cidr: string; readonly except: readonly string[] };
}

interface PolicySpec {
  readonly podSelector: { readonly matchLabels: Labels };
  readonly policyTypes: readonly string[];
  readonly ingress: readonly { readonly from: readonly Peer[]; readonly ports: readonly Port[] }[];
  readonly egress?: readonly { readonly to: readonly Peer[]; readonly ports: readonly Port[] }[];
}

type Port = { readonly port: number | string };

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
  readonly envFrom: readonly { readonly configMapRef: { readonly name: string } }[];
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
    return { name: metadata.name, labels: spec?.template.metadata.labels, pod, container };
  });
const policies = manifests.flatMap(({ kind, metadata, spec }) =>
  kind === 'NetworkPolicy' && spec ? [{ name: metadata.name, ...spec }] : [],
);

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

  it('pass every variable that the configuration reads, to the API and to each worker', () => {
    const dataOf = (name: string) =>
      Object.keys(
        manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name)
          ?.data ?? {},
      );
    for (const { name, container } of deployments) {
      const passed = new Set([
        ...container.envFrom.flatMap(({ configMapRef }) => dataOf(configMapRef.name)),
        ...container.env.map((variable) => settingName(variable.name)),
      ]);
      const wanted = settingsOf(name === 'api' ? 'api' : 'worker');
      assert.deepEqual(
        wanted.filter((each) => !passed.has(each)),
        [],
        name,
      );
    }
  });

  it('let every process reach its dependencies and port 443 outside the cluster, and nothing else', () => {
    const all = policies.find(({ egress }) => egress) ?? assert.fail('no policy');
    assert.deepEqual(all.policyTypes, ['Ingress', 'Egress']);
    for (const { name, labels } of deployments)
      for (const [label, value] of Object.entries(all.podSelector.matchLabels))
        assert.equal(labels?.[label], value, name);
    const reached = (all.egress ?? []).map(({ to, ports }) => [
      to
        .map(
          (peer) =>
            peer.namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] ??
            peer.ipBlock?.cidr,
        )
        .join(),
      ports.map(({ port }) => port).join(),
    ]);
    assert.deepEqual(reached, [
      ['kube-system', '53,53'],
      ['temporal', '7233'],
      ['mongodb', '27017'],
      ['0.0.0.0/0,::/0', '443'],
    ]);
    const outside = new BlockList();
    for (const { ipBlock } of (all.egress ?? []).flatMap(({ to }) => to))
      for (const range of ipBlock?.except ?? []) {
        const [address = '', bits = ''] = range.split('/');
        outside.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
      }
    for (const address of [
      '10.96.0.1',
      '172.20.0.1',
      '192.168.0.9',
      '100.64.0.1',
      '169.254.169.254',
      '168.63.129.16',
    ])
      assert.ok(outside.check(address), address);
    for (const address of ['fd00:ec2::254', 'fe80::1', '::1'])
      assert.ok(outside.check(address, 'ipv6'), address);
  });

  it('let only the balancer reach the API, and only Prometheus the metrics', () => {
    const entered = policies.flatMap(({ podSelector, ingress }) =>
      ingress.map(({ from, ports }) => [
        Object.values(podSelector.matchLabels).join(),
        from
          .map(({ namespaceSelector }) =>
            Object.values(namespaceSelector?.matchLabels ?? {}).join(),
          )
          .join(),
        ports.map(({ port }) => port).join(),
      ]),
    );
    assert.deepEqual(entered, [
      ['storage-routing', 'monitoring', 'metrics'],
      ['api', 'ingress-nginx', 'http'],
    ]);
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
