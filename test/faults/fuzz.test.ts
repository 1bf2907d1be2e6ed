import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findProgram } from '../../dev/services/service.ts';
import { services } from '../../dev/services/services.ts';
import type { Service } from '../../dev/service.ts';
import { createClient } from '../../sdk/src/index.ts';
import { isLongForm } from '../long-form.ts';
import { createMigrationCustomer, type MigrationCustomer } from '../harness/migration-customer.ts';
import { openStripeProxy, STRIPE_SETTINGS, type StripeProxy } from '../harness/stripe-proxy.ts';
import { localServers, startMigrationService } from '../servers.ts';

/** Of each of the two runs. The examples are per operation, the stateful phase takes what is left. */
const SECONDS = isLongForm ? 900 : 25;
const EXAMPLES = isLongForm ? 400 : 15;
const NO_LIMIT = 1_000_000;
/** How many of a path's ids are those of stored documents. */
const KNOWN_IDS = 0.7;
/** Beyond these and 2xx: what a request that fits its schema may be refused with. */
const REFUSALS = [400, 401, 402, 404, 409, 410, 422, 429, 502];
/** With API keys. The dashboard's operations take tokens. */
const UPLOADS = '^/v1/(upload|file|me)';

describe('a fuzzer that makes calls from the OpenAPI document', function () {
  this.timeout((2 * SECONDS + 300) * 1_000);
  let program: string;
  let folder: string;
  let service: Service;
  let stripe: StripeProxy;
  let customer: MigrationCustomer;
  let apiKey: string;

  before(async () => {
    const shared = (await localServers()).stack;
    program = (await findProgram(services.schemathesis, shared.resolverContext)).command;
    stripe = await openStripeProxy(shared);
    const environment = {
      DASHBOARD_ORIGINS: 'https://app.example',
      ...STRIPE_SETTINGS,
      STRIPE_API_URL: stripe.url,
      RATE_LIMIT_KEY: String(NO_LIMIT),
      RATE_LIMIT_ACCOUNT: String(NO_LIMIT),
      RATE_LIMIT_UNAUTHENTICATED: String(NO_LIMIT),
    };
    const isolated = await startMigrationService({ environment });
    ({ service } = isolated);
    customer = await createMigrationCustomer(isolated.stack, service.baseUrl);
    ({ apiKey } = await customer.client.apiKey.regenerate());
    folder = await mkdtemp(join(tmpdir(), 'fuzz-'));
    await writeFile(join(folder, 'schemathesis.toml'), await configuration());
  });
  after(async () => {
    await service?.stop();
    await stripe?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** The ids of stored documents, so that calls reach more than a 404. */
  async function configuration(): Promise<string> {
    customer.put([{ key: 'one.bin', size: 5_000_000 }]);
    const migrationId = await customer.move();
    const { recommendationId } = await customer.migrated(migrationId);
    const { scanId, connectionId } = await customer.scan();
    const client = createClient({ baseUrl: service.baseUrl, apiKey });
    const file = { fileName: 'parts.bin', contentType: 'a/b', fileSizeBytes: 20_000_000 };
    const { fileId } = await client.init({ ...file, multipart: true });
    const ids = { migrationId, recommendationId, scanId, connectionId, fileId };
    return [
      ...Object.entries(ids).flatMap(([name, id]) => [
        `[dictionaries.${name}]`,
        `values = ["${id}"]`,
      ]),
      '[parameters]',
      ...Object.keys(ids).map(
        (name) => `"path.${name}" = { dictionary = "${name}", probability = ${KNOWN_IDS} }`,
      ),
      '[checks.positive_data_acceptance]',
      `expected-statuses = ["2xx", ${REFUSALS.join(', ')}]`,
      '[checks.not_a_server_error]',
      `expected-statuses = ["2xx", "3xx", "4xx", 502]`,
      '[warnings]',
      'fail-on = ["unresolvable_reference"]',
      '',
    ].join('\n');
  }

  async function fuzz(credential: string, operations: string): Promise<void> {
    // CI makes the same calls each time; the long form looks for new ones.
    const seed = isLongForm ? randomInt(1_000_000) : 1;
    const args = `
      --config-file ${join(folder, 'schemathesis.toml')} run ${service.baseUrl}/openapi.json
      --phases examples,coverage,fuzzing,stateful --checks all --continue-on-failure --no-shrink
      -n ${EXAMPLES} --max-time ${SECONDS} --seed ${seed} --request-timeout 20 ${operations}`
      .trim()
      .split(/\s+/)
      .concat('--header', `Authorization: Bearer ${credential}`);
    const fuzzer = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const [output, [code]] = await Promise.all([
      text(fuzzer.stdout),
      once(fuzzer, 'close') as Promise<[number | null]>,
    ]);
    const [cases = 'no count of cases'] = /\d+ generated.*/.exec(output) ?? [];
    process.stdout.write(`    ${cases}, seed ${seed}\n`);
    assert.equal(code, 0, output);
  }

  it('finds nothing wrong with an API key', async () => {
    await fuzz(apiKey, `--include-path-regex ${UPLOADS}`);
  });

  it('finds nothing wrong with a dashboard token', async () => {
    await fuzz(customer.token, `--exclude-path-regex ${UPLOADS}`);
  });

  it('leaves no error in the log that is not a store’s', async () => {
    const [api] = service.apis;
    const lines = (await api?.readLog())?.split('\n') ?? [];
    const wrong = lines.filter(
      (line) => /"status":5\d\d/.test(line) && !line.includes('"code":"provider_error"'),
    );
    assert.deepEqual(wrong, []);
    assert.ok(lines.length > 0);
    const alive = await fetch(`${service.baseUrl}/ready`);
    assert.equal(alive.status, 200);
  });
});
