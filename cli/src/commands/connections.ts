import { readFile } from 'node:fs/promises';
import type {
  CallOptions,
  Connection,
  ConnectRequest,
  Provider,
  StorageRoutingClient,
} from '@storage-routing/client';
import type { Command } from 'commander';
import { askSecret, canAsk } from '../io/prompt.ts';
import { EXIT, type ExitCode, wrongUsage } from '../io/failure.ts';
import { type Invocation, type Perform, show, subcommand } from '../io/invocation.ts';
import { connectionsText, connectionText } from '../present/scan.ts';

interface ConnectOptions {
  roleArn?: string;
  externalIdFile?: string;
  regions?: string[];
  provider?: Provider;
  buckets?: string[];
}

/** Refuses a file that is too long to be an external id. */
const LONGEST_EXTERNAL_ID = 1_224;

/** `srs connect`, `srs connections` and `srs disconnect` */
export function addConnections(parent: Command, perform: Perform): void {
  subcommand(parent, 'connect', 'connect an AWS account through a role, or a store by its keys')
    .option('--role-arn <arn>', 'of an AWS account: arn:aws:iam::<account>:role/<name>')
    .option('--external-id-file <path>', 'a file with the external id of the role’s trust policy')
    .option('--regions <a,b,…>', 'with --role-arn: buckets elsewhere are left out', splitNames)
    .option('--provider <provider>', 'instead of a role: another store, by its stored credentials')
    .option(
      '--buckets <a,b,…>',
      'with --provider: these and the stored one (default: all that the credentials may list)',
      splitNames,
    )
    .addHelpText('after', '\nThe external id may also come from SRS_EXTERNAL_ID, or is asked for.')
    .action(perform(connect));
  subcommand(parent, 'connections', 'the connected accounts and stores').action(
    perform(show(list, connectionsText)),
  );
  subcommand(parent, 'disconnect', 'end a connection; frees its role, keeps stored credentials')
    .argument('<connectionId>')
    .action(perform(show(disconnect, ({ connectionId }) => `${connectionId}: disconnected`)));
}

function splitNames(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}

async function connect(call: Invocation, options: ConnectOptions): Promise<ExitCode> {
  const client = await call.client();
  const request = await readRequest(call, options);
  const made = await client.scanner.connect(request, { signal: call.signal });
  await call.print.result(withoutExternalId(made), () => connectionText(made));
  call.print.note(`Scan it: srs scan ${made.connectionId}`);
  return EXIT.done;
}

/** @throws LocalError `wrong_usage` for options of a role and of a store, or of neither */
async function readRequest(call: Invocation, options: ConnectOptions): Promise<ConnectRequest> {
  const { roleArn, externalIdFile, regions, provider, buckets } = options;
  if (provider !== undefined) {
    if ([roleArn, externalIdFile, regions].some((option) => option !== undefined))
      throw wrongUsage('--provider takes --buckets only; a role is connected by --role-arn');
    return { provider, buckets: buckets ?? null };
  }
  if (roleArn === undefined) throw wrongUsage('either --role-arn or --provider');
  if (buckets !== undefined) throw wrongUsage('--buckets goes with --provider');
  if (regions === undefined) throw wrongUsage('--role-arn needs --regions');
  const externalId = await readExternalId(call, options);
  call.keepSecret(externalId);
  return { roleArn, externalId, regions };
}

/**
 * The external id prevents other customers from using the role through this service. It is never an
 * argument, because the shell history and `ps` would show it, and it is not printed, although the
 * service returns it.
 */
async function readExternalId(
  { context }: Invocation,
  { externalIdFile }: ConnectOptions,
): Promise<string> {
  if (externalIdFile !== undefined) {
    const text = (await readFile(externalIdFile, 'utf8')).trim();
    const fits = text !== '' && text.length <= LONGEST_EXTERNAL_ID && !text.includes('\n');
    if (!fits) throw wrongUsage('the file of the external id must hold it, and nothing else');
    return text;
  }
  const given = context.env['SRS_EXTERNAL_ID'];
  if (given) return given;
  if (!canAsk(context)) {
    throw wrongUsage('the external id comes from --external-id-file or SRS_EXTERNAL_ID');
  }
  return await askSecret(context, 'External id (not shown): ');
}

async function list({ scanner }: StorageRoutingClient, options: CallOptions) {
  const { items } = await scanner.connections(options);
  return { items: items.map(withoutExternalId) };
}

async function disconnect(
  { scanner }: StorageRoutingClient,
  options: CallOptions,
  connectionId: string,
) {
  await scanner.disconnect(connectionId, options);
  return { connectionId, deleted: true };
}

function withoutExternalId({
  externalId: _secret,
  ...others
}: Connection): Omit<Connection, 'externalId'> {
  return others;
}
