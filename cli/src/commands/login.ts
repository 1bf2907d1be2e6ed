import { escapeText } from '@storage-routing/client';
import type { Command } from 'commander';
import { checkBaseUrl, withTokens } from '../io/access.ts';
import type { CliContext } from '../io/context.ts';
import {
  credentialsPath,
  type Credentials,
  readCredentials,
  removeCredentials,
  writeCredentials,
} from '../io/credentials.ts';
import { EXIT, type ExitCode, LocalError, wrongUsage } from '../io/failure.ts';
import type { DeviceCode, Tokens } from '../io/tokens.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';
import { ask, askSecret, canAsk } from '../io/prompt.ts';

/** `srs login` and `srs logout` */
export function addLogin(parent: Command, perform: Perform): void {
  subcommand(parent, 'login', 'ask for the address, key and token, verify and save them').action(
    perform(login),
  );
  subcommand(parent, 'logout', 'delete the saved address, key and token').action(perform(logout));
}

/** Variables that work without a login. */
const VARIABLES = ['SRS_API_KEY', 'SRS_DASHBOARD_TOKEN'];

async function logout({ context, print }: Invocation): Promise<ExitCode> {
  const path = credentialsPath(context);
  const { renewal } = await readCredentials(context).catch((): Credentials => ({}));
  if (renewal !== undefined) {
    // The local credentials are removed in any case; without a renewal the token expires.
    await context.identity.revoke(renewal).catch(() => {
      print.note('the identity provider could not be reached');
    });
  }
  const removed = await removeCredentials(path);
  await print.result({ path, removed }, () =>
    removed ? `removed ${escapeText(path)}` : 'there was no login',
  );
  if (removed) print.note('the API key works until it is replaced: srs keys rotate');
  const others = VARIABLES.filter((name) => context.env[name]);
  if (others.length > 0) print.note(`still set in your environment: ${others.join(', ')}`);
  return EXIT.done;
}

async function login(call: Invocation): Promise<ExitCode> {
  const { context, accessOptions } = call;
  const baseUrl = accessOptions.baseUrl ?? (await askBaseUrl(context));
  checkBaseUrl(baseUrl, accessOptions.insecure === true);
  const code = await beginDeviceLogin(call, baseUrl);
  if (code === undefined && !canAsk(context)) throw NO_TERMINAL;
  const apiKey = canAsk(context) ? await askApiKey(call) : '';
  const tokens = await (code === undefined ? askTokens(call) : logInByDevice(call, code));
  if (apiKey === '' && tokens === undefined)
    throw wrongUsage('neither a key nor a token was given');
  const withKey = { baseUrl, ...(apiKey !== '' && { apiKey }) };
  const credentials = tokens === undefined ? withKey : withTokens(withKey, tokens);
  await verifyCredentials(call, credentials);
  const path = credentialsPath(context);
  await writeCredentials(path, credentials);
  await call.print.result({ savedTo: path, baseUrl }, () => `saved in ${escapeText(path)}`);
  return EXIT.done;
}

const NO_TERMINAL = wrongUsage(
  'login needs a terminal; scripts set SRS_BASE_URL, SRS_API_KEY, SRS_DASHBOARD_TOKEN',
);

async function askBaseUrl(context: CliContext): Promise<string> {
  if (!canAsk(context)) throw NO_TERMINAL;
  return await ask(context, 'Address of the service: ');
}

async function askApiKey(call: Invocation): Promise<string> {
  const apiKey = await askSecret(call.context, 'API key (not shown; empty for none): ');
  call.keepSecret(apiKey);
  return apiKey;
}

async function askTokens(call: Invocation): Promise<Tokens | undefined> {
  const question = 'Dashboard token (not shown; empty for none): ';
  const dashboardToken = await askSecret(call.context, question);
  call.keepSecret(dashboardToken);
  return dashboardToken === '' ? undefined : { dashboardToken, renewal: undefined };
}

/** Undefined if the identity provider has no device flow, or cannot be asked. */
async function beginDeviceLogin(
  { context, print }: Invocation,
  baseUrl: string,
): Promise<DeviceCode | undefined> {
  try {
    return await context.identity.begin(baseUrl);
  } catch (error) {
    print.note(`no login by the identity provider: ${escapeText((error as Error).message)}`);
    return undefined;
  }
}

/** Shows the code, and waits until the person has agreed in a browser. */
async function logInByDevice(call: Invocation, code: DeviceCode): Promise<Tokens> {
  const { context, signal } = call;
  const { userCode, verificationUri, completeUri = verificationUri } = code;
  // Also with --json: the login needs it.
  context.stderr.write(
    `To log in, open ${escapeText(verificationUri)} and enter the code ${escapeText(userCode)}\n`,
  );
  if (canAsk(context) && /^https?:/.test(completeUri)) await context.openUrl(completeUri);
  const outcome = await Promise.race([code.wait(signal), rejectedBy(signal)]);
  if (outcome === 'refused' || outcome === 'expired') {
    const message = outcome === 'refused' ? 'the login was refused' : 'the code has expired';
    throw new LocalError('login_failed', message, EXIT.unauthorised);
  }
  call.keepSecret(outcome.dashboardToken);
  call.keepSecret(outcome.renewal?.refreshToken);
  return outcome;
}

/** The library checks the signal between two polls only. */
function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** Verifies the credentials with the service before they are saved. */
async function verifyCredentials(
  { context, signal }: Invocation,
  credentials: Credentials,
): Promise<void> {
  const { baseUrl = '', apiKey, dashboardToken } = credentials;
  const client = context.createClient({ baseUrl, apiKey, dashboardToken });
  if (apiKey !== undefined) await client.me({ signal });
  if (dashboardToken !== undefined) await client.providers.list({ signal });
}
