import {
  JURISDICTIONS,
  type Jurisdiction,
  PROVIDERS,
  type Provider,
  type SaveProviderRequest,
} from '@storage-routing/client';
import { Argument, type Command, Option } from 'commander';
import { askSecret, canAsk } from '../io/prompt.ts';
import { EXIT, type ExitCode, wrongUsage } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';
import { providersText, providerTestText } from '../present/account.ts';
import { shown } from '../io/text.ts';

interface SetOptions {
  bucket: string;
  region?: string;
  accountId?: string;
  jurisdiction?: Jurisdiction;
}

interface TestOptions {
  origin?: string;
}

const providerArgument = (): Argument =>
  new Argument('<provider>', 'which store').choices(PROVIDERS);

/** `srs providers`, and its `set`, `test` and `rm` */
export function addProviders(parent: Command, perform: Perform): void {
  const providers = parent.command('providers').description('your own object stores');
  const listing = 'the stores that files may be routed to';
  subcommand(providers, 'list', listing, { isDefault: true }).action(
    (_options: object, command: Command) => perform(command, list),
  );
  // Credentials are never arguments: the shell history and `ps` would show them.
  subcommand(providers, 'set', 'add a store, or replace how it is reached')
    .addArgument(providerArgument())
    .requiredOption('--bucket <name>', 'the bucket')
    .option('--region <region>', 'its region (of r2 always auto)')
    .option('--account-id <id>', 'the account (r2 only)')
    .addOption(
      new Option('--jurisdiction <name>', 'what the bucket is bound to (r2 only)').choices(
        JURISDICTIONS,
      ),
    )
    .addHelpText(
      'after',
      '\nThe access key comes from SRS_PROVIDER_ACCESS_KEY_ID and SRS_PROVIDER_SECRET_ACCESS_KEY, or is asked for.',
    )
    .action((provider: Provider, options: SetOptions, command: Command) =>
      perform(command, (call) => set(call, provider, options)),
    );
  subcommand(providers, 'test', 'write, read and delete a small object there')
    .addArgument(providerArgument())
    .option('--origin <origin>', 'may a page there upload: https://app.example.com')
    .action((provider: Provider, options: TestOptions, command: Command) =>
      perform(command, (call) => test(call, provider, options)),
    );
  subcommand(providers, 'rm', 'forget a store; nothing in it is touched')
    .addArgument(providerArgument())
    .action((provider: Provider, _options: object, command: Command) =>
      perform(command, (call) => forget(call, provider)),
    );
}

async function list(call: Invocation): Promise<ExitCode> {
  const found = await (await call.client()).providers.list({ signal: call.signal });
  await call.print.result(found, () => providersText(found.items));
  return EXIT.done;
}

async function set(call: Invocation, provider: Provider, options: SetOptions): Promise<ExitCode> {
  const place = placeOf(provider, options);
  const client = await call.client();
  const accessKeyId = await secret(call, 'SRS_PROVIDER_ACCESS_KEY_ID', 'Access key id: ');
  const secretAccessKey = await secret(
    call,
    'SRS_PROVIDER_SECRET_ACCESS_KEY',
    'Secret access key (not shown): ',
  );
  const request = { ...place, accessKeyId, secretAccessKey };
  const saved = await client.providers.save(request, { signal: call.signal });
  await call.print.result(saved, () => {
    const { bucketName, region, accessKeyIdMasked } = saved;
    return shown(`${provider}: ${bucketName} (${region}), access key ${accessKeyIdMasked}`);
  });
  call.print.note(`Try it: srs providers test ${provider}`);
  return EXIT.done;
}

type Place = SaveProviderRequest extends infer One
  ? One extends unknown
    ? Omit<One, 'accessKeyId' | 'secretAccessKey'>
    : never
  : never;

function placeOf(provider: Provider, options: SetOptions): Place {
  const { bucket, region, accountId, jurisdiction } = options;
  if (provider === 'r2') {
    if (accountId === undefined) throw wrongUsage('r2 needs --account-id');
    if (region !== undefined && region !== 'auto') throw wrongUsage('the region of r2 is auto');
    const bound = jurisdiction === undefined ? {} : { jurisdiction };
    return { provider, bucketName: bucket, region: 'auto', accountId, ...bound };
  }
  if (accountId !== undefined) throw wrongUsage('--account-id is for r2 only');
  if (jurisdiction !== undefined) throw wrongUsage('--jurisdiction is for r2 only');
  if (region === undefined) throw wrongUsage(`${provider} needs --region`);
  return { provider, bucketName: bucket, region };
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
  const client = await call.client();
  const result = await client.providers.test(provider, { ...options, signal: call.signal });
  await call.print.result(result, () => providerTestText(result));
  return result.ok ? EXIT.done : EXIT.failed;
}

async function forget(call: Invocation, provider: Provider): Promise<ExitCode> {
  await (await call.client()).providers.delete(provider, { signal: call.signal });
  await call.print.result({ provider, deleted: true }, () => `${provider}: forgotten`);
  return EXIT.done;
}
