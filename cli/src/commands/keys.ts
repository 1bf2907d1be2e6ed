import { escapeText } from '@storage-routing/client';
import type { Command } from 'commander';
import { whereToKeep } from '../io/access.ts';
import { readCredentials, writeCredentials } from '../io/credentials.ts';
import { EXIT, type ExitCode } from '../io/failure.ts';
import { type Invocation, type Perform, show, subcommand } from '../io/invocation.ts';
import { apiKeyText } from '../present/account.ts';

interface RotateOptions {
  save?: boolean;
}

/** `srs keys show` and `srs keys rotate` */
export function addKeys(parent: Command, perform: Perform): void {
  const keys = parent.command('keys').description('your API key');
  subcommand(keys, 'show', 'the key, masked').action(
    perform(show(({ apiKey }, options) => apiKey.get(options), apiKeyText)),
  );
  subcommand(keys, 'rotate', 'create a new key; the old one is revoked at once')
    .option('--save', 'save it in the credentials file instead of printing it')
    .action(perform(rotate));
}

async function rotate(call: Invocation, { save = false }: RotateOptions): Promise<ExitCode> {
  const { context } = call;
  const access = await call.access();
  const path = save ? await whereToKeep(context, access) : undefined;
  if (path !== undefined) {
    // Checked before the old key is revoked, because the service shows the new key only once.
    const stored = await readCredentials(context);
    await writeCredentials(path, { ...stored, baseUrl: access.baseUrl });
  }
  const { keys } = await call.client();
  const { newApiKey, rotatedAt } = await keys.rotate({ signal: call.signal });
  if (context.env['SRS_API_KEY'])
    call.print.note('SRS_API_KEY in your environment is the old key, which is revoked.');
  if (path === undefined) {
    await call.print.result({ newApiKey, rotatedAt }, () => newApiKey);
    return EXIT.done;
  }
  try {
    const stored = await readCredentials(context);
    await writeCredentials(path, { ...stored, baseUrl: access.baseUrl, apiKey: newApiKey });
  } catch (error) {
    // Saving failed: print the key rather than lose it.
    call.print.failure(error);
    await call.print.result({ newApiKey, rotatedAt }, () => newApiKey);
    return EXIT.failed;
  }
  await call.print.result(
    { savedTo: path, rotatedAt },
    () => `new key saved in ${escapeText(path)}`,
  );
  return EXIT.done;
}
