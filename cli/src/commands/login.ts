import type { Command } from 'commander';
import { checkBaseUrl } from '../io/access.ts';
import { ask, askSecret, canAsk } from '../io/prompt.ts';
import {
  credentialsPath,
  type Credentials,
  removeCredentials,
  writeCredentials,
} from '../io/credentials.ts';
import { EXIT, type ExitCode, wrongUsage } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';
import { shown } from '../io/text.ts';

/** `srs login` and `srs logout` */
export function addLogin(parent: Command, perform: Perform): void {
  subcommand(parent, 'login', 'ask for address, key and token, try them, and keep them').action(
    (_options: object, command: Command) => perform(command, login),
  );
  subcommand(parent, 'logout', 'forget the address, key and token that login has kept').action(
    (_options: object, command: Command) => perform(command, logout),
  );
}

/** Variables that work without a login. */
const VARIABLES = ['SRS_API_KEY', 'SRS_DASHBOARD_TOKEN'];

async function logout({ context, print }: Invocation): Promise<ExitCode> {
  const path = credentialsPath(context);
  const removed = await removeCredentials(path);
  await print.result({ path, removed }, () =>
    removed ? `removed ${shown(path)}` : 'there was no login',
  );
  if (removed) print.note('the API key works until it is replaced: srs keys rotate');
  const others = VARIABLES.filter((name) => context.env[name]);
  if (others.length > 0) print.note(`still set in your environment: ${others.join(', ')}`);
  return EXIT.done;
}

async function login(call: Invocation): Promise<ExitCode> {
  const { context, accessOptions } = call;
  if (!canAsk(context)) {
    throw wrongUsage(
      'login asks on a terminal; scripts set SRS_BASE_URL, SRS_API_KEY, SRS_DASHBOARD_TOKEN',
    );
  }
  const baseUrl = accessOptions.baseUrl ?? (await ask(context, 'Address of the service: '));
  checkBaseUrl(baseUrl, accessOptions.insecure === true);
  const apiKey = await askSecret(context, 'API key (not shown; empty for none): ');
  call.keepSecret(apiKey);
  const dashboardToken = await askSecret(context, 'Dashboard token (not shown; empty for none): ');
  call.keepSecret(dashboardToken);
  if (apiKey === '' && dashboardToken === '')
    throw wrongUsage('neither a key nor a token was given');
  const credentials: Credentials = {
    baseUrl,
    ...(apiKey !== '' && { apiKey }),
    ...(dashboardToken !== '' && { dashboardToken }),
  };
  await tryOut(call, credentials);
  const path = credentialsPath(context);
  await writeCredentials(path, credentials);
  await call.print.result({ savedTo: path, baseUrl }, () => `kept in ${shown(path)}`);
  return EXIT.done;
}

/** Verifies the credentials with the service before they are saved. */
async function tryOut({ context, signal }: Invocation, credentials: Credentials): Promise<void> {
  const { baseUrl = '', apiKey, dashboardToken } = credentials;
  const client = context.createClient({ baseUrl, apiKey, dashboardToken });
  if (apiKey !== undefined) await client.me({ signal });
  if (dashboardToken !== undefined) await client.providers.list({ signal });
}
