import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { SECRETS_BY_FILE } from '../../../secret-files.ts';
import { TASK_QUEUES } from '../../../messages/names.ts';
import { parseDockerfile } from '../../../dev/dockerfile.ts';
import { readCompose, readText, type ComposeService } from './compose.ts';

const compose = readCompose();
const services = Object.entries(compose.services);
const isOurs = ({ build }: ComposeService) => build !== undefined;
const ours = services.filter(([, service]) => isOurs(service));

/** The ports that people on this machine open. */
const PUBLIC = { api: '8080', temporal: '8233', store: '7070' } as const;
/** The service that runs once; others wait for its end instead of its health. */
const ONE_SHOT = 'volumes';

describe('docker-compose.yml', () => {
  it('matches the schema of the compose specification', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    const validate = ajv.compile(
      JSON.parse(readText('test/unit/deployment/compose-spec/compose-spec.json')) as object,
    );
    assert.ok(validate(compose), ajv.errorsText(validate.errors));
    const broken = { services: { api: { ...compose.services['api'], port: 80 } } };
    assert.ok(!validate(broken), 'the schema takes anything');
  });

  it('sets only variables that the configuration reads and docs/configuration.md explains', () => {
    const source = readText('config.ts');
    const table = readText('docs/configuration.md');
    const isRead = (name: string) =>
      source.includes(`'${name}'`) || /^PROVIDER_ENDPOINT_(AWS|R2|B2)$/.test(name);
    // Read by the SDK's default credential chain.
    const isIdentity = (name: string) =>
      /^AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN)$/.test(name);
    const isExplained = (name: string) =>
      table.includes(`\`${name}\``) ||
      (name.startsWith('PROVIDER_ENDPOINT_') && table.includes(`\`${name.slice(17)}\``));
    for (const [service, { environment = {} }] of ours)
      for (const variable of Object.keys(environment)) {
        const name = SECRETS_BY_FILE.find((secret) => variable === `${secret}_FILE`) ?? variable;
        assert.ok(isIdentity(name) || isRead(name), `${service}: no setting reads ${variable}`);
        assert.ok(
          isIdentity(name) || isExplained(name),
          `${service}: ${variable} is not explained`,
        );
      }
  });

  it('has a separate fleet for each queue', () => {
    const workers = ours.filter(([, { build }]) => build?.target === 'worker');
    assert.deepEqual(
      workers.map(([name, { environment }]) => [name, environment?.['WORKER_QUEUES']]),
      TASK_QUEUES.map((queue) => [`worker-${queue}`, queue]),
    );
  });

  it('can scale each worker: no container name, no host port', () => {
    for (const [name, service] of services) {
      assert.equal(service.container_name, undefined);
      if (name.startsWith('worker-')) assert.equal(service.ports, undefined);
    }
  });

  it('publishes only the ports that people open, on 127.0.0.1', () => {
    const ports = services.flatMap(([name, { ports: mapped }]) =>
      mapped === undefined ? [] : [[name, mapped] as const],
    );
    assert.deepEqual(
      Object.fromEntries(ports),
      Object.fromEntries(
        Object.entries(PUBLIC).map(([name, port]) => [name, [`127.0.0.1:${port}:${port}`]]),
      ),
    );
  });

  it('asks every service for its health, ours as their images do', () => {
    const stages = parseDockerfile(readText('Dockerfile'));
    for (const [name, { healthcheck, build }] of services) {
      if (name === ONE_SHOT) continue;
      assert.equal(healthcheck?.test[0], 'CMD', name);
      const stage = stages.find((each) => each.name === build?.target);
      const own = stage?.instructions.find(({ name }) => name === 'HEALTHCHECK')?.value;
      if (build === undefined) continue;
      const command = (own ?? '').replace(/^.*?CMD /, '');
      assert.deepEqual(healthcheck.test.slice(1), JSON.parse(command), name);
    }
  });

  it('waits for services with a health check', () => {
    for (const [name, { depends_on: needed = {} }] of services)
      for (const [other, { condition }] of Object.entries(needed))
        assert.equal(
          condition,
          other === ONE_SHOT ? 'service_completed_successfully' : 'service_healthy',
          name,
        );
  });

  it('runs only the one-shot service as root, and our images on a read-only file system', () => {
    for (const [name, service] of services) {
      if (isOurs(service)) assert.equal(service.read_only, true, name);
      else assert.match(service.user ?? '', name === ONE_SHOT ? /^0:0$/ : /^[1-9]\d*:[1-9]\d*$/);
    }
  });

  it('passes secrets as files, and lists each of them in .env.example', () => {
    const variables = Object.values(compose.secrets).map(({ file }) => {
      const [, name = '', fallback] = /^\$\{(\w+):-(.+)\}$/.exec(file) ?? [];
      assert.equal(fallback, '/dev/null');
      return name;
    });
    for (const variable of variables) {
      assert.ok(
        SECRETS_BY_FILE.some((secret) => variable === `${secret}_FILE`),
        variable,
      );
      assert.match(readText('.env.example'), new RegExp(`^# ?${variable}=|^${variable}=`, 'm'));
    }
    for (const [name, { environment = {}, secrets = [] }] of ours)
      for (const [variable, path] of Object.entries(environment))
        if (variable.endsWith('_FILE'))
          assert.ok(
            secrets.some((secret) => path === `/run/secrets/${secret}`),
            `${name} ${variable}`,
          );
  });

  it('gives each fleet only the secrets that it needs', () => {
    const has = (name: string, variable: string) =>
      Object.hasOwn(compose.services[name]?.environment ?? {}, variable);
    const holders = (variable: string) =>
      ours.map(([name]) => name).filter((name) => has(name, variable));
    // Scans assume customers' roles; uploads and migrations open customers' stores.
    assert.deepEqual(holders('AWS_SECRET_ACCESS_KEY'), ['api', 'worker-scans']);
    assert.deepEqual(holders('CREDENTIAL_KEYS'), ['api', 'worker-uploads', 'worker-migrations']);
    assert.deepEqual(holders('STRIPE_SECRET_KEY'), ['api']);
    const mounted = ours.filter(([, { secrets = [] }]) => secrets.includes('credential_keys'));
    assert.deepEqual(
      mounted.map(([name]) => name),
      holders('CREDENTIAL_KEYS'),
    );
  });

  it('pins the version of every external image', () => {
    for (const [, { image = '', build }] of services)
      if (build === undefined) assert.match(image, /:v?\d+\.\d+\.\d+$/);
  });
});
