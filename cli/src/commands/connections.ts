import { readFile } from 'node:fs/promises';
import type { Connection } from '@storage-routing/client';
import type { Command } from 'commander';
import { askSecret, canAsk } from '../io/prompt.ts';
import { EXIT, type ExitCode, wrongUsage } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';
import { connectionsText, connectionText } from '../present/scan.ts';

interface ConnectOptions {
  roleArn: string;
  externalIdFile?: string;
  regions: string[];
}

/** Refuses a file that is too long to be an external id. */
const LONGEST_EXTERNAL_ID = 1_224;

/** `srs connect`, `srs connections` and `srs disconnect` */
export function addConnections(parent: Command, perform: Perform): void {
  subcommand(parent, 'connect', 'connect a cloud account through a role')
    .requiredOption('--role-arn <arn>', 'arn:aws:iam::<account>:role/<name>')
    .option('--external-id-file <path>', 'a file with the external id of the role’s trust policy')
    .requiredOption('--regions <a,b,…>', 'buckets elsewhere are left out', (text: string) =>
      text.split(',').map((region) => region.trim()),
    )
    .addHelpText('after', '\nThe external id may also come from SRS_EXTERNAL_ID, or is asked for.')
    .action(perform(connect));
  subcommand(parent, 'connections', 'the connected cloud accounts').action(perform(list));
  subcommand(parent, 'disconnect', 'end a connection and free its role')
    .argument('<connectionId>')
    .action(perform(disconnect));
}

async function connect(call: Invocation, options: ConnectOptions): Promise<ExitCode> {
  const { roleArn, regions } = options;
  const client = await call.client();
  const externalId = await readExternalId(call, options);
  call.keepSecret(externalId);
  const made = await client.scanner.connect(
    { roleArn, externalId, regions },
    { signal: call.signal },
  );
  await call.print.result(withoutExternalId(made), () => connectionText(made));
  call.print.note(`Scan it: srs scan ${made.connectionId}`);
  return EXIT.done;
}

/**
 * The external id prevents other customers from using the role through this service. It is never an argument, because
 * the shell history and `ps` would show it, and it is not printed, although the service returns it.
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

async function list(call: Invocation): Promise<ExitCode> {
  const { items } = await (await call.client()).scanner.connections({ signal: call.signal });
  await call.print.result({ items: items.map(withoutExternalId) }, () => connectionsText(items));
  return EXIT.done;
}

async function disconnect(call: Invocation, connectionId: string): Promise<ExitCode> {
  await (await call.client()).scanner.disconnect(connectionId, { signal: call.signal });
  await call.print.result({ connectionId, deleted: true }, () => `${connectionId}: disconnected`);
  return EXIT.done;
}

function withoutExternalId({
  externalId: _secret,
  ...others
}: Connection): Omit<Connection, 'externalId'> {
  return others;
}
