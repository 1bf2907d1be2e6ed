import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { STACK_STORES } from './parts/stores.ts';
import type { Provider } from '../sdk/src/index.ts';
import { formatAddresses } from './addresses.ts';
import { buildDashboard } from './dashboard.ts';
import { allowPage, configureAccount } from './first-account.ts';
import { PEOPLE_SETTINGS } from './identity/users.ts';
import { openSampleAccount, SAMPLE_LIMITS } from './sample-account.ts';
import { takePort } from './system/ports.ts';
import { createProgress, type Progress } from './system/progress.ts';
import { openService, type Service } from './service.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';
import { runServers } from './shutdown.ts';
import { openStack, type Stack } from './stack.ts';

const USUAL_PORT = 8080;

/**
 * `npm run dev`: the local servers, the API and a worker, with an account that is ready to upload, and a
 * cloud account that is worth an audit.
 */
async function runDev(): Promise<never> {
  const progress = createProgress();
  let stack: Stack | undefined;
  let service: Service | undefined;
  const start = async () => {
    stack = await openStack({ progress });
    const { up } = stack;
    const receiver = await openReceiver(stack, progress);
    service = await openService(stack, {
      port: await takePort(Number(process.env['PORT'] || USUAL_PORT)),
      environment: {
        DEFAULT_PLAN: process.env['DEFAULT_PLAN'] || 'growth',
        ...SAMPLE_LIMITS,
        ...receiver?.settings,
        ...(stack.identity ? PEOPLE_SETTINGS : {}),
      },
      workersAfter: Promise.all([up.temporal, up.mongodb]),
    });
    const { baseUrl, apis } = service;
    const { cloud, environment, processes, identity } = stack;
    const sample = cloud ? openSampleAccount(cloud) : {};
    const built = buildDashboard(processes.logFolder, progress);
    await Promise.all([...apis.map((api) => api.ready), up.stores, built]);
    const { apiKey } = await configureAccount(baseUrl, environment);
    progress.say('the account is ready for its first upload');
    const users = identity?.users ?? [];
    process.stdout.write(
      formatAddresses(
        {
          baseUrl,
          apiKey,
          environment: {
            ...environment,
            ...sample,
            ...(receiver ? { WEBHOOK_URL: receiver.url } : {}),
          },
          users,
          checkout: process.cwd(),
        },
        processes.logFolder,
      ),
    );
    const { port } = new URL(baseUrl);
    await Promise.all([service.ready, up.all, allowPage(environment, localStores(stack), port)]);
    progress.say('the worker is up too; Ctrl-C ends everything');
  };
  return await runServers({
    start,
    say: (text) => progress.say(text),
    async stop() {
      await service?.stop();
      await stack?.stop();
    },
  });
}

/** A receiver that prints what the service tells it; undefined without `openssl`. It ends with this process. */
async function openReceiver({ processes }: Stack, progress: Progress) {
  try {
    const { url, certificate } = await startWebhookReceiver({
      print: (line) => progress.say(line),
    });
    const caFile = join(processes.logFolder, 'webhook-receiver.pem');
    await writeFile(caFile, certificate);
    const settings = {
      NODE_EXTRA_CA_CERTS: caFile,
      WEBHOOK_PORTS: new URL(url).port,
      WEBHOOK_PRIVATE_HOSTS: 'localhost',
    };
    return { url, settings };
  } catch (error) {
    progress.say(`there is no receiver of webhooks: ${(error as Error).message}`);
    return undefined;
  }
}

/** Those that were not given by an address. */
function localStores({ cloud, r2, b2 }: Stack): readonly Provider[] {
  const started = { aws: cloud, r2, b2 };
  return STACK_STORES.filter((provider) => started[provider] !== null);
}

await runDev();
