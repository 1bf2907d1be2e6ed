import { formatUsers } from './dashboard.ts';
import type { IdentityUser } from './identity/users.ts';
import type { Environment } from './parts/part.ts';

/** What a person needs of a running service. */
export interface RunningService {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The stack's variables. */
  readonly environment: Environment;
  /** Of the local identity provider; empty if another one was given. */
  readonly users: readonly IdentityUser[];
  /** The folder of the sources, which have the command line. */
  readonly checkout?: string;
}

const STORES = ['aws', 'r2', 'b2'] as const;
/** Of the sample account: its role for audits, that of the smaller account, and its owner. */
const CUSTOMER = [
  'CUSTOMER_ROLE_ARN',
  'SMALL_ROLE_ARN',
  'CUSTOMER_EXTERNAL_ID',
  'CUSTOMER_S3_ENDPOINT',
  'CUSTOMER_ACCESS_KEY_ID',
  'CUSTOMER_SECRET_ACCESS_KEY',
  /** Of the receiver that prints what arrives. */
  'WEBHOOK_URL',
];

/** Addresses for a browser, then lines for a shell, without indentation, so that they can be pasted. */
export function formatAddresses(running: RunningService, logFolder?: string): string {
  const { baseUrl, environment, users } = running;
  const rows: (readonly [name: string, value: string | undefined])[] = [
    // `localhost`, because the check of CORS rules takes no other address without TLS.
    ['dashboard', `${baseUrl.replace('127.0.0.1', 'localhost')}/dashboard`],
    ['  its users', formatUsers(users)],
    ['API', baseUrl],
    ['  described at', `${baseUrl}/docs`],
    ['Temporal UI', environment['TEMPORAL_UI_URL']],
    ['  working now', workingNow(environment['TEMPORAL_UI_URL'])],
    ['Grafana', environment['GRAFANA_URL']],
    ['MongoDB', environment['MONGODB_URI']],
    ...STORES.map(
      (store) =>
        [`store of ${store}`, environment[`PROVIDER_ENDPOINT_${store.toUpperCase()}`]] as const,
    ),
    ['logs', logFolder],
  ];
  const known = rows.filter(([, value]) => value !== undefined);
  const addresses = known.map(([name, value]) => `  ${name.padEnd(15)}${value}`);
  return `\n${addresses.join('\n')}\n
  For the guides (docs/guides), paste this into a second shell:\n
${formatExports(running).join('\n')}\n\n`;
}

/** The list of all runs also has those that wait for a person or a deadline. */
function workingNow(uiUrl: string | undefined): string | undefined {
  const query =
    'ExecutionStatus = "Running" AND Phase != "waiting" AND Phase != "draining" AND Kind IN ("upload", "scan", "migration", "relocation")';
  return uiUrl && `${uiUrl}/namespaces/default/workflows?query=${encodeURIComponent(query)}`;
}

/** The variables of the guides, and of `srs`. */
function formatExports({ baseUrl, apiKey, environment, checkout }: RunningService): string[] {
  const named = [
    ['API', baseUrl],
    ['KEY', apiKey],
    ['TOKEN', environment['DASHBOARD_TOKEN']],
    ...CUSTOMER.map((name) => [name, environment[name]] as const),
  ];
  const known = named.filter(([, value]) => value !== undefined);
  return [
    // The guides have comments, which zsh does not take otherwise.
    'setopt interactivecomments 2> /dev/null || true',
    ...known.map(([name, value]) => `export ${name}='${value}'`),
    'export SRS_BASE_URL="$API" SRS_API_KEY="$KEY" SRS_DASHBOARD_TOKEN="$TOKEN"',
    ...(checkout === undefined
      ? []
      : [`srs() { npm run --silent --prefix '${checkout}' srs -- "$@"; }`]),
  ];
}
