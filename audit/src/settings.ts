import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { EndpointOverrides } from '../../adapters/object-store/address.ts';
import { readDecision } from '../../config/decision.ts';
import { ConfigError, readConfig, type Environment } from '../../config/environment.ts';
import type { DecisionSettings } from '../../domain/decision/types.ts';
import {
  AWS,
  type Jurisdiction,
  type ProviderName,
  type StoreLocation,
} from '../../domain/providers/catalogue.ts';
import { PRICE_BOOK } from './data.ts';
import { EXIT, wrongUsage } from './failure.ts';

/** The package's version. A test compares it with package.json. */
const VERSION = '0.1.0';
const FORMATS = ['html', 'md', 'csv', 'json'] as const;
export type Format = (typeof FORMATS)[number];

/** The keys of a store other than AWS. */
const STORE_KEYS = ['STORE_ACCESS_KEY_ID', 'STORE_SECRET_ACCESS_KEY'] as const;
const KEYS_NEEDED = `its keys are in ${STORE_KEYS.join(' and ')}`;
const ROLE = /^arn:aws(-cn|-us-gov)?:iam::[0-9]{12}:role\/[!-~]{1,576}$/;

/** What the command line and the environment say, checked. */
export interface Settings {
  /** Whose buckets are listed, and where; its region is that of the account's own endpoints. */
  readonly home: StoreLocation;
  /** Keys of a store; null for AWS, which has a chain of sources. */
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  readonly profile: string | undefined;
  readonly role: { readonly roleArn: string; readonly externalId?: string } | undefined;
  /** In place of the store's own. */
  readonly endpoints: EndpointOverrides;
  /** Only these; empty: all. */
  readonly buckets: readonly string[];
  readonly regions: readonly string[];
  /** Whether Cost Explorer and CloudWatch are asked. */
  readonly readsBill: boolean;
  /** S3 requests; Infinity: unlimited. */
  readonly maxRequests: number;
  readonly format: Format;
  /** `-` is standard output; undefined: a name of its own in the working folder. */
  readonly output: string | undefined;
  /** Does not ask. */
  readonly yes: boolean;
  readonly decision: DecisionSettings;
}

interface Options extends Partial<Pick<Settings, 'profile' | 'maxRequests' | 'output' | 'yes'>> {
  readonly roleArn?: string;
  readonly externalId?: string;
  readonly connect?: ProviderName;
  readonly accountId?: string;
  readonly jurisdiction?: Jurisdiction;
  readonly region?: readonly string[];
  readonly bucket?: readonly string[];
  readonly bill: boolean;
  readonly format: Format;
}

/**
 * Reads the command line, without the program's name.
 *
 * @returns undefined if it asked for the help or the version, which `write` has got
 * @throws AuditError with exit code 2
 */
export function readSettings(
  args: readonly string[],
  env: Environment,
  write: (text: string) => void,
): Settings | undefined {
  try {
    const program = createProgram()
      .exitOverride()
      .configureOutput({ writeOut: write, writeErr: () => undefined })
      .parse(args, { from: 'user' });
    return toSettings(program.opts<Options>(), env);
  } catch (error) {
    if (error instanceof ConfigError) throw wrongUsage(error.message);
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === EXIT.done) return undefined;
    throw wrongUsage(error.message.replace(/^error: /, ''));
  }
}

function createProgram(): Command {
  const stores = PRICE_BOOK.catalogue.providers.filter((provider) => provider !== AWS);
  return new Command('srs-audit')
    .description(
      'Reads what an S3 account holds and costs, and writes one report: what would be cheaper, and how to get there. ' +
        'It reads listings, settings, the bill and metrics, never an object, and changes nothing.',
    )
    .version(VERSION)
    .addOption(ofAws('--profile <name>', 'a profile of the AWS configuration'))
    .addOption(ofAws('--role-arn <arn>', 'a role to assume, with the credentials of the shell'))
    .addOption(ofAws('--external-id <id>', 'what the trust policy of that role asks for'))
    .addOption(new Option('--connect <store>', `another store: ${KEYS_NEEDED}`).choices(stores))
    .option('--account-id <id>', 'of a store whose address has one')
    .option('--jurisdiction <name>', 'of a store whose buckets are bound to one')
    .option('--region <region...>', 'only buckets of these regions; with --connect, its region')
    .option('--bucket <name...>', 'only these buckets')
    .option('--no-bill', 'asks neither Cost Explorer nor CloudWatch')
    .option('--max-requests <number>', 'S3 requests at most', toCount)
    .addOption(new Option('--format <format>', 'of the report').choices(FORMATS).default('html'))
    .option('-o, --output <file>', 'of the report; - is standard output')
    .option('-y, --yes', 'starts without a question');
}

function ofAws(flags: string, description: string): Option {
  return new Option(flags, description).conflicts('connect');
}

function toCount(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number of at least 1 is needed.');
}

function toSettings(options: Options, env: Environment): Settings {
  const { connect, profile, roleArn, externalId, bucket = [], region = [], output } = options;
  const isAws = connect === undefined;
  if (isAws && (options.accountId ?? options.jurisdiction) !== undefined)
    throw wrongUsage('--account-id and --jurisdiction need --connect');
  if (externalId !== undefined && roleArn === undefined)
    throw wrongUsage('--external-id needs --role-arn');
  if (roleArn !== undefined && !ROLE.test(roleArn))
    throw wrongUsage('--role-arn must be the ARN of a role, arn:aws:iam::…:role/…');
  const { endpoint, decision } = readConfig(env, (from) => ({
    endpoint: from.url('AWS_ENDPOINT_URL_S3') ?? from.url('AWS_ENDPOINT_URL'),
    decision: readDecision(from),
  }));
  const home = isAws ? awsHome(env) : storeHome(connect, options);
  return {
    home,
    keys: isAws ? null : storeKeys(env),
    profile,
    role: roleArn === undefined ? undefined : { roleArn, ...(externalId && { externalId }) },
    endpoints: endpoint === undefined ? {} : { [home.provider]: endpoint },
    buckets: [...new Set(bucket)],
    regions: isAws ? region : [],
    readsBill: isAws && options.bill,
    maxRequests: options.maxRequests ?? Number.POSITIVE_INFINITY,
    format: options.format,
    output,
    yes: options.yes ?? false,
    decision,
  };
}

function awsHome(env: Environment): StoreLocation {
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || 'us-east-1';
  if (!PRICE_BOOK.catalogue.entry(AWS).takesRegion(region))
    throw wrongUsage('AWS_REGION must be a region of AWS, as us-east-1');
  return { provider: AWS, bucketName: '', region };
}

function storeHome(
  provider: ProviderName,
  { region: given = [], accountId, jurisdiction }: Options,
): StoreLocation {
  const entry = PRICE_BOOK.catalogue.entry(provider);
  // A store of one region has it as its example.
  const only = /^\W*auto\W*$/.test(entry.regionPattern) ? entry.regionExample : undefined;
  const [region = only, ...others] = given;
  if (region === undefined || others.length > 0 || !entry.takesRegion(region))
    throw wrongUsage(`--region must be a region of ${entry.title}, as ${entry.regionExample}`);
  const isAccount = accountId !== undefined && entry.takesAccountId(accountId);
  if (entry.needsAccountId ? !isAccount : accountId !== undefined)
    throw wrongUsage(
      `--account-id ${entry.needsAccountId ? 'must be an account of' : 'is not of'} ${entry.title}`,
    );
  if (jurisdiction !== undefined && !entry.jurisdictions.includes(jurisdiction))
    throw wrongUsage(`--jurisdiction ${jurisdiction} is not of ${entry.title}`);
  return {
    provider,
    bucketName: '',
    region,
    ...(accountId && { accountId }),
    ...(jurisdiction && { jurisdiction }),
  };
}

function storeKeys(env: Environment): NonNullable<Settings['keys']> {
  const [accessKeyId, secretAccessKey] = STORE_KEYS.map((name) => env[name]);
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey };
  throw wrongUsage(`--connect is of a store: ${KEYS_NEEDED}`);
}
