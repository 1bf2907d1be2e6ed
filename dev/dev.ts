import process from 'node:process';
import { buildDashboard, formatUsers } from './dashboard.ts';
import { configureAccount } from './first-account.ts';
import { takePort } from './system/ports.ts';
import { createProgress } from './system/progress.ts';
import { openService, type Service } from './service.ts';
import { untilAskedToEnd } from './shutdown.ts';
import { openStack, type Stack } from './stack.ts';

const USUAL_PORT = 8080;

/** `npm run dev`: the local servers, the API and a worker, with an account that is ready to upload. */
async function runDev(): Promise<void> {
  const progress = createProgress();
  let stack: Stack | undefined;
  let service: Service | undefined;
  const ending = untilAskedToEnd();
  const run = async () => {
    stack = await openStack({ progress });
    const { up } = stack;
    service = await openService(stack, {
      port: await takePort(Number(process.env['PORT'] || USUAL_PORT)),
      environment: { DEFAULT_PLAN: process.env['DEFAULT_PLAN'] || 'growth' },
      workersAfter: Promise.all([up.temporal, up.mongodb]),
    });
    await Promise.all([...service.apis.map((api) => api.ready), up.stores]);
    const { apiKey } = await configureAccount(service.baseUrl, stack.environment);
    progress.say('the account is ready for its first upload');
    process.stdout.write(formatAddresses(stack, service, apiKey));
    await Promise.all([service.ready, up.all]);
    await buildDashboard(stack, progress);
    progress.say('the worker is up too; Ctrl-C ends everything');
    return 'up' as const;
  };
  let exitCode = 0;
  try {
    const first = await Promise.race([run(), ending]);
    if (first === 'up') await ending;
    progress.say('stopping');
  } catch (error) {
    progress.say(error instanceof Error ? error.message : String(error));
    exitCode = 1;
  }
  await service?.stop();
  await stack?.stop();
  process.exit(exitCode);
}

function formatAddresses(
  { environment, identity, processes }: Stack,
  { baseUrl }: Service,
  apiKey: string,
): string {
  const body = '{"fileName":"hello.txt","contentType":"text/plain","fileSizeBytes":5}';
  return `
  API              ${baseUrl}
  dashboard        ${baseUrl}/dashboard
  its users        ${formatUsers(identity)}
  Temporal UI      ${environment['TEMPORAL_UI_URL'] ?? '(given elsewhere)'}
  MongoDB          ${environment['MONGODB_URI']}
  store of aws     ${environment['PROVIDER_ENDPOINT_AWS']}
  store of r2      ${environment['PROVIDER_ENDPOINT_R2']}
  store of b2      ${environment['PROVIDER_ENDPOINT_B2']}
  logs             ${processes.logFolder}
  API key          ${apiKey}
  dashboard token  ${environment['DASHBOARD_TOKEN']}
  role to scan     ${environment['CUSTOMER_ROLE_ARN'] ?? '(given elsewhere)'}
  its external id  ${environment['CUSTOMER_EXTERNAL_ID'] ?? '(given elsewhere)'}

  Try:
  curl -s ${baseUrl}/v1/upload/init -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${body}'

`;
}

await runDev();
