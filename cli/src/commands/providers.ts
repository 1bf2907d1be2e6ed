import {
  escapeText,
  type Jurisdiction,
  onlyRegion,
  type Provider,
  type ProviderDescription,
  type SaveProviderRequest,
} from '@storage-routing/client';
import { Argument, type Command } from 'commander';
import { askSecret, canAsk } from '../io/prompt.ts';
import { EXIT, type ExitCode, wrongUsage } from '../io/failure.ts';
import { type Invocation, type Perform, show, subcommand } from '../io/invocation.ts';
import { providersText, providerTestText } from '../present/account.ts';

interface SetOptions {
  readonly former?: boolean;
  bucket: string;
  region?: string;
  accountId?: string;
  jurisdiction?: Jurisdiction;
}

interface TestOptions {
  origin?: string;
}

const providerArgument = (): Argument =>
  new Argument('<provider>', 'a store of the catalogue, such as aws');

/** `srs providers`, and its `set`, `test` and `rm` */
export function addProviders(parent: Command, perform: Perform): void {
  const providers = parent.command('providers').description('your own object stores');
  const listing = 'the stores that files may be routed to';
  subcommand(providers, 'list', listing, { isDefault: true }).action(
    perform(show((client, options) => client.providers.list(options), providersText)),
  );
  // Credentials are never arguments: the shell history and `ps` would show them.
  subcommand(providers, 'set', 'add a store, or replace its keys or its place')
    .addArgument(providerArgument())
    .requiredOption('--bucket <name>', 'the bucket')
    .option('--region <region>', 'its region, unless the store has only one')
    .option('--account-id <id>', 'the account, for a store that needs it')
    .option('--jurisdiction <name>', 'what the bucket is bound to, for a store that has any')
    .option('--former', 'these are new keys of a former place, named as `srs providers` lists it')
    .addHelpText(
      'after',
      '\nThe access key comes from SRS_PROVIDER_ACCESS_KEY_ID and SRS_PROVIDER_SECRET_ACCESS_KEY, or is asked for.',
    )
    .action(perform(set));
  subcommand(providers, 'test', 'write, read and delete a small object there')
    .addArgument(providerArgument())
    .option('--origin <origin>', 'also check that a page at this origin may upload')
    .action(perform(test));
  subcommand(providers, 'rm', 'forget a store and its former places; nothing in them is touched')
    .addArgument(providerArgument())
    .action(perform(forget));
}

async function set(call: Invocation, provider: Provider, options: SetOptions): Promise<ExitCode> {
  const client = await call.client();
  const place = placeFor(await storeNamed(call, provider), options);
  const accessKeyId = await secret(call, 'SRS_PROVIDER_ACCESS_KEY_ID', 'Access key id: ');
  const secretAccessKey = await secret(
    call,
    'SRS_PROVIDER_SECRET_ACCESS_KEY',
    'Secret access key (not shown): ',
  );
  const isFormer = options.former === true;
  const keys = { accessKeyId, secretAccessKey };
  const request = { ...place, ...keys, ...(isFormer && { place: 'former' as const }) };
  const saved = await client.providers.save(request, { signal: call.signal });
  await call.print.result(saved, () => {
    const { bucketName, region, accessKeyIdMasked } = saved;
    return escapeText(`${provider}: ${bucketName} (${region}), access key ${accessKeyIdMasked}`);
  });
  if (!isFormer) call.print.note(`Try it: srs providers test ${provider}`);
  return EXIT.done;
}

/** @throws LocalError `wrong_usage` when the catalogue has no store of this name */
async function storeNamed(call: Invocation, provider: Provider): Promise<ProviderDescription> {
  const { items } = await (await call.client()).providers.catalogue({ signal: call.signal });
  const store = items.find((each) => each.provider === provider);
  if (store !== undefined) return store;
  const names = items.map((each) => each.provider).join(', ');
  throw wrongUsage(`${provider} is none of the stores: ${names}`);
}

/** Checked before a secret is asked for. @throws LocalError `wrong_usage` for a wrong option */
function placeFor(
  store: ProviderDescription,
  { bucket: bucketName, accountId, jurisdiction, ...options }: SetOptions,
): Omit<SaveProviderRequest, 'accessKeyId' | 'secretAccessKey'> {
  const { provider, regionPattern, regionExample, needsAccountId, jurisdictions } = store;
  const region = options.region ?? onlyRegion(store);
  if (region === undefined)
    throw wrongUsage(`${provider} needs --region, such as ${regionExample}`);
  if (!new RegExp(regionPattern).test(region))
    throw wrongUsage(`${region} is no region of ${provider}; one is ${regionExample}`);
  if (needsAccountId && accountId === undefined) throw wrongUsage(`${provider} needs --account-id`);
  if (!needsAccountId && accountId !== undefined)
    throw wrongUsage(`${provider} takes no --account-id`);
  if (jurisdiction !== undefined && !jurisdictions.includes(jurisdiction))
    throw wrongUsage(
      `--jurisdiction of ${provider} is one of: ${jurisdictions.join(', ') || 'none'}`,
    );
  return {
    provider,
    bucketName,
    region,
    ...(accountId !== undefined && { accountId }),
    ...(jurisdiction !== undefined && { jurisdiction }),
  };
}

async function secret(call: Invocation, variable: string, question: string): Promise<string> {
  const { context } = call;
  const given = context.env[variable];
  if (!given && !canAsk(context))
    throw wrongUsage(`${variable} is not set, and there is no terminal to ask on`);
  const answer = given || (await askSecret(context, question));
  if (answer === '') throw wrongUsage('without an access key there is nothing to save');
  call.keepSecret(answer);
  return answer;
}

async function test(call: Invocation, provider: Provider, options: TestOptions): Promise<ExitCode> {
  await storeNamed(call, provider);
  const client = await call.client();
  const result = await client.providers.test(provider, { ...options, signal: call.signal });
  await call.print.result(result, () => providerTestText(result));
  return result.ok ? EXIT.done : EXIT.failed;
}

async function forget(call: Invocation, provider: Provider): Promise<ExitCode> {
  await storeNamed(call, provider);
  await (await call.client()).providers.delete(provider, { signal: call.signal });
  await call.print.result({ provider, deleted: true }, () => `${provider}: forgotten`);
  return EXIT.done;
}
