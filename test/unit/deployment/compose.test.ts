import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readApiConfig } from '../../../config/api.ts';
import { SECRETS_BY_FILE } from '../../../config/environment.ts';
import { readWorkerConfig } from '../../../config/worker.ts';
import { TASK_QUEUES } from '../../../messages/names.ts';
import { problemsOf, REQUIRED } from '../config-problems.ts';
import { parseDockerfile } from './dockerfile.ts';
import {
  ALL_SETTINGS,
  isSetting,
  readCompose,
  readText,
  settingName,
  settingsOf,
  type ComposeService,
} from './compose.ts';

const compose = readCompose();
const services = Object.entries(compose.services);
const namesOf = (some: typeof services) => some.map(([name]) => name);
const isOurs = ({ build }: ComposeService) => build !== undefined;
const ours = services.filter(([, service]) => isOurs(service));
const ofProfile = (profile: string) =>
  ours.filter(([, { profiles = [] }]) => profiles.includes(profile));
/** The API and the workers of each profile; the double of a trial is neither. */
const processes = ours.filter(([name]) => name !== 'trial');

/** The ports that people on this machine open. */
const PUBLIC: Readonly<Record<string, readonly string[]>> = {
  temporal: ['8233'],
  store: ['7070'],
  api: ['8080'],
  'trial-api': ['8080'],
  // The AWS account and the identity provider.
  trial: ['7071', '7090'],
  'trial-store-b2': ['7072'],
  'trial-grafana': ['3000'],
};
const VERSION = /^[\w/]+:v?\d+\.\d+\.\d+$/;
const BY_DIGEST = /^[\w/]+:v?\d+\.\d+\.\d+@sha256:[0-9a-f]{64}$/;
/** Of this image no public file has the digest. */
const BY_TAG_ALONE = { temporal: true, volumes: true };
/** The service that runs once; others wait for its end instead of its health. */
const ONE_SHOT = 'volumes';

describe('docker-compose.yml', () => {
  it('matches the schema of the compose specification', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    const schema = readText('test/unit/deployment/compose-spec/compose-spec.json');
    const validate = ajv.compile(JSON.parse(schema) as object);
    assert.ok(validate(compose), ajv.errorsText(validate.errors));
    const broken = { services: { api: { ...compose.services['api'], port: 80 } } };
    assert.ok(!validate(broken), 'the schema takes anything');
  });

  it('sets only variables that the configuration reads and docs/configuration.md explains', () => {
    const table = readText('docs/configuration.md');
    // Read by the SDK's default credential chain.
    const isIdentity = (name: string) =>
      /^AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|SHARED_CREDENTIALS_FILE)$/.test(name);
    const isExplained = (name: string) =>
      table.includes(`\`${name}\``) ||
      (name.startsWith('PROVIDER_ENDPOINT_') && table.includes('`PROVIDER_ENDPOINT_<ID>`'));
    for (const [service, { environment = {} }] of processes)
      for (const variable of Object.keys(environment)) {
        const name = settingName(variable);
        if (isIdentity(name)) continue;
        assert.ok(isSetting(name), `${service}: no setting reads ${variable}`);
        assert.ok(isExplained(name), `${service}: ${variable} is not explained`);
      }
  });

  it('passes every variable that the configuration reads, to the API and to each worker', () => {
    for (const [service, { environment = {} }] of ofProfile('service')) {
      const passed = new Set(Object.keys(environment).map(settingName));
      const wanted = settingsOf(service === 'api' ? 'api' : 'worker');
      const lacking = wanted.filter((name) => !passed.has(name));
      assert.deepEqual(lacking, [], service);
    }
  });

  for (const [profile, prefix] of [
    ['service', ''],
    ['trial', 'trial-'],
  ] as const)
    it(`has an API and a separate fleet for each queue, for the ${profile}`, () => {
      const found = ofProfile(profile).filter(([name]) => name !== 'trial');
      const queues = found.map(([, { environment }]) => environment?.['WORKER_QUEUES']);
      assert.deepEqual(queues, [undefined, ...TASK_QUEUES]);
      const fleets = TASK_QUEUES.map((queue) => `${prefix}worker-${queue}`);
      assert.deepEqual(namesOf(found), [`${prefix}api`, ...fleets]);
    });

  it('has the processes of the service that docs/deploying.md starts beside servers elsewhere', () => {
    const [, started = ''] =
      /^docker compose up .*--no-deps (.+)$/m.exec(readText('docs/deploying.md')) ?? [];
    assert.deepEqual(started.split(' '), namesOf(ofProfile('service')));
  });

  it('starts its own servers in both ways, and nothing of ours without a profile', () => {
    const always = services.filter(([, { profiles }]) => profiles === undefined);
    assert.deepEqual(namesOf(always), ['mongodb', 'volumes', 'temporal']);
    assert.match(readText('.env.example'), /^COMPOSE_PROFILES=service$/m);
  });

  const isOfTheTrial =
    /^\$\{(LOG_LEVEL:-info|STORE_ACCESS_KEY:-local|STORE_SECRET_KEY:-local-secret)\}$/;

  it('gives a trial nothing of the environment but the level of the log and the keys of its stores', () => {
    for (const [name, { environment = {} }] of ofProfile('trial'))
      for (const [variable, value] of Object.entries(environment))
        assert.ok(
          value !== null && (!value.includes('${') || isOfTheTrial.test(value)),
          `${name}: ${variable}`,
        );
  });

  it('publishes only the ports that people open, on 127.0.0.1', () => {
    for (const [name, { ports = [] }] of services) {
      const open = (PUBLIC[name] ?? []).map((port) => `127.0.0.1:${port}:${port}`);
      assert.deepEqual(ports, open, name);
    }
  });

  const stages = parseDockerfile(readText('Dockerfile'));
  for (const [name, service] of services)
    it(`pins the image of ${name}, asks for its health, waits for that of others, and runs it without rights`, () => {
      const { build, image = '', healthcheck, depends_on: needed = {}, user = '' } = service;
      for (const [other, { condition }] of Object.entries(needed)) {
        const ready = other === ONE_SHOT ? 'service_completed_successfully' : 'service_healthy';
        assert.equal(condition, ready);
      }
      if (name !== ONE_SHOT) assert.equal(healthcheck?.test[0], 'CMD');
      // A worker can be scaled.
      assert.equal(service.container_name, undefined);
      if (name.includes('worker-')) assert.equal(service.ports, undefined);
      if (build === undefined) {
        assert.match(image, name in BY_TAG_ALONE ? VERSION : BY_DIGEST);
        // Grafana's own image is in the group 0.
        assert.match(user, name === ONE_SHOT ? /^0:0$/ : /^[1-9]\d*:\d+$/);
        return;
      }
      assert.equal(service.read_only, true);
      const stage = stages.find((each) => each.name === build.target);
      const own = stage?.instructions.find((each) => each.name === 'HEALTHCHECK')?.value ?? '';
      assert.deepEqual(healthcheck?.test.slice(1), JSON.parse(own.replace(/^.*?CMD /, '')));
    });

  it('passes secrets as files, and lists each of them in .env.example', () => {
    const variables = Object.values(compose.secrets).map(({ file }) => {
      const [, name = '', fallback] = /^\$\{(\w+):-(.+)\}$/.exec(file) ?? [];
      assert.equal(fallback, '/dev/null');
      return name;
    });
    const known = new Set<string>(SECRETS_BY_FILE.map((secret) => `${secret}_FILE`));
    for (const variable of variables) {
      assert.ok(known.has(variable), variable);
      assert.match(readText('.env.example'), new RegExp(`^# ?${variable}=|^${variable}=`, 'm'));
    }
    for (const [name, { environment = {}, secrets = [] }] of ofProfile('service'))
      for (const [variable, path] of Object.entries(environment))
        // The file of a setting is none of a secret.
        if (variable.endsWith('_FILE') && !isSetting(variable))
          assert.ok(secrets.includes(path?.replace('/run/secrets/', '') ?? ''), name + variable);
  });

  it('gives each fleet only the secrets that it needs', () => {
    const holders = (variable: string) =>
      namesOf(ours.filter(([, { environment = {} }]) => Object.hasOwn(environment, variable)));
    assert.deepEqual(holders('AWS_SHARED_CREDENTIALS_FILE'), ['trial-api', 'trial-worker-scans']);
    // Scans assume customers' roles; they, uploads and migrations open customers' stores, webhooks the secrets that sign.
    assert.deepEqual(holders('AWS_SECRET_ACCESS_KEY'), ['api', 'worker-scans']);
    assert.deepEqual(holders('CREDENTIAL_KEYS'), [
      'api',
      'worker-uploads',
      'worker-scans',
      'worker-migrations',
      'worker-webhooks',
    ]);
    const ofTrial = holders('CREDENTIAL_KEYS').map((name) => `trial-${name}`);
    assert.deepEqual(holders('CREDENTIAL_KEYS_FILE'), holders('CREDENTIAL_KEYS').concat(ofTrial));
    assert.deepEqual(holders('STRIPE_SECRET_KEY'), ['api']);
    const mounted = ours.filter(([, { secrets = [] }]) => secrets.includes('credential_keys'));
    assert.deepEqual(namesOf(mounted), holders('CREDENTIAL_KEYS'));
  });
});

describe('.env.example', () => {
  const lines = [...readText('.env.example').matchAll(/^(\w+)=(.*)$/gm)];
  const values = Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
  /** Its version, which each release of the workers has of its own. */
  const isOfAWorker = (name: string) => /^TEMPORAL_(DEPLOYMENT_NAME|WORKER_BUILD_ID)$/.test(name);

  it('holds no value that passes for a real one: all that is required is missing', () => {
    const missing = problemsOf(values).map((problem) => problem.split(' ')[0] ?? '');
    assert.deepEqual(missing.toSorted(), Object.keys(REQUIRED).toSorted());
  });

  it('lists every variable that the configuration reads', () => {
    const lacking = ALL_SETTINGS.filter(
      (name) => !Object.hasOwn(values, name) && !isOfAWorker(name),
    );
    assert.deepEqual(lacking, []);
  });

  it('is otherwise what the processes have without it', () => {
    for (const read of [readApiConfig, readWorkerConfig])
      assert.equal(
        JSON.stringify(read({ ...values, ...REQUIRED })),
        JSON.stringify(read(REQUIRED)),
      );
  });
});
