import { CUSTOMER_ACCOUNT } from '../dev/parts/cloud-account.ts';
import { internetEgress } from './harness/bill-rows.ts';
import { localServers, localService, stopLocalServers } from './servers.ts';

/** The first run on a machine may have to build the servers. */
const BUILD_TIMEOUT_MS = 30 * 60_000;

/** The stack's variables that clients of the service may read. */
const FOR_CLIENTS = /^(?:STORE_|CUSTOMER_|DASHBOARD_TOKEN)/;

/** Of the cloud account, in 30 days. */
const READ_GB = 1_000;

/** Provides a service for the black-box suite, unless the environment names a deployment. */
export const mochaHooks = {
  async beforeAll(this: Mocha.Context) {
    this.timeout(BUILD_TIMEOUT_MS);
    const suites = this.test?.parent?.suites ?? [];
    const wanted = suites.some(({ file }) => file?.includes('/acceptance/'));
    if (!wanted || process.env['ACCEPTANCE_BASE_URL']) return;
    const { stack } = await localServers();
    const { baseUrl } = await localService();
    for (const [name, value] of Object.entries(stack.environment)) {
      const endpoint = /^PROVIDER_ENDPOINT_(.+)$/.exec(name)?.[1];
      if (endpoint) process.env[`STORE_${endpoint}_ENDPOINT`] = value;
      if (FOR_CLIENTS.test(name)) process.env[name] = value;
    }
    // A move pays where a bill shows that what is moved is read from the internet.
    const rows = [internetEgress(CUSTOMER_ACCOUNT, READ_GB)];
    stack.cloud?.double.putBill({ accountId: CUSTOMER_ACCOUNT, rows });
    process.env['ACCEPTANCE_BASE_URL'] = baseUrl;
  },

  async afterAll(this: Mocha.Context) {
    this.timeout(60_000);
    await stopLocalServers();
  },
};
