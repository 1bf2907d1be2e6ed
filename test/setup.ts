import { localServers, localService, stopLocalServers } from './servers.ts';

/** The first run on a machine may have to build the servers. */
const BUILD_TIMEOUT_MS = 30 * 60_000;

/** Gives the black-box suite something to run against, unless the environment names a deployment. */
export const mochaHooks = {
  async beforeAll(this: Mocha.Context) {
    this.timeout(BUILD_TIMEOUT_MS);
    const suites = this.test?.parent?.suites ?? [];
    const wanted = suites.some(({ file }) => file?.includes('/acceptance/'));
    if (!wanted || process.env['ACCEPTANCE_BASE_URL']) return;
    const { stack } = await localServers();
    const { baseUrl } = await localService();
    Object.assign(process.env, stack.environment, { ACCEPTANCE_BASE_URL: baseUrl });
  },

  async afterAll(this: Mocha.Context) {
    this.timeout(60_000);
    await stopLocalServers();
  },
};
