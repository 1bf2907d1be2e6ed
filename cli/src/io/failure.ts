import { StorageRoutingError } from '@storage-routing/client';
import { InterruptionError } from './context.ts';

/** Exit codes that scripts may rely on; README.md has the table. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  partly: 3,
  unauthorised: 4,
  plan: 5,
  unavailable: 6,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Codes of failures that the command line detects itself. */
export type LocalCode =
  | 'wrong_usage'
  | 'not_confirmed'
  | 'quote_exceeded'
  | 'no_base_url'
  | 'insecure_base_url'
  | 'credentials_file_unsafe'
  | 'credentials_file_invalid'
  | 'login_failed'
  | 'file_exists'
  | 'not_a_regular_file'
  | 'recommendation_not_open'
  | 'connection_not_found';

/** A failure with a code of the command line. */
export class LocalError extends Error {
  readonly code: LocalCode;
  readonly exitCode: ExitCode;

  constructor(code: LocalCode, message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** An error of the caller, found before any request. */
export function wrongUsage(message: string): LocalError {
  return new LocalError('wrong_usage', message, EXIT.usage);
}

/** A failure as it is printed: one JSON line, or a sentence. */
export interface PrintedFailure {
  error: string;
  code: string;
  status?: number;
  requestId?: string;
  fileId?: string;
}

/**
 * Maps an error to its printed fields. An unexpected error shows only the system error code
 * of a file.
 *
 * @param secrets texts to remove from all fields.
 */
export function describeFailure(error: unknown, secrets: Iterable<string> = []): PrintedFailure {
  const shown = describeError(error);
  for (const secret of secrets) shown.error = shown.error.replaceAll(secret, '…');
  return { ...shown, error: withoutCredentials(shown.error) };
}

function describeError(error: unknown): PrintedFailure {
  if (error instanceof StorageRoutingError) {
    const { code, status, requestId, fileId } = error;
    return {
      error: explain(error),
      code,
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
      ...(fileId !== undefined && { fileId }),
    };
  }
  if (error instanceof LocalError) return { error: error.message, code: error.code };
  if (error instanceof InterruptionError) return { error: error.message, code: 'aborted' };
  const { code, syscall, message, path } = error as Partial<NodeJS.ErrnoException>;
  if (typeof code === 'string' && syscall !== undefined) {
    const reason = FILE_ERRORS[code];
    const named = reason === undefined || path === undefined ? undefined : `${path}: ${reason}`;
    return { error: named ?? message ?? code, code: 'file_failed' };
  }
  return { error: `internal error of srs: ${String(message ?? error)}`, code: 'defect' };
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'its permissions forbid this',
  EPERM: 'its permissions forbid this',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of this path is no folder',
};

export const WHAT_IS_OPEN = 'what is open: srs recommendations --status open';
const LOG_IN =
  'log in with: srs login (SRS_API_KEY and SRS_DASHBOARD_TOKEN come before it if they are set)';

/** The command that helps after a failure. */
const HELP: Readonly<Record<string, string>> = {
  unauthorized: LOG_IN,
  no_credentials: 'log in with: srs login',
  connection_failed: 'is this the right address? --base-url, SRS_BASE_URL or srs login set it',
  plan_limit: 'what is used of it: srs usage',
  no_providers_configured: 'add a store with: srs providers set',
  provider_not_configured: 'add the store with: srs providers set',
  recommendation_not_found: WHAT_IS_OPEN,
  recommendation_not_open: WHAT_IS_OPEN,
  drill_running: 'to follow it: srs drills, srs drill watch <drillId>',
  relocation_running: 'to follow it: srs relocations, srs relocation watch <relocationId>',
  source_changed: 'to resume a file of which only the date has changed: --accept-modified',
};

/** What the library names by its routes and options, in the words of the command line. */
function explain({ message, code, details = [] }: StorageRoutingError): string {
  const said = message
    .replace(/^(?:GET|POST|DELETE) \/\S+ \d{3}: /, '')
    .replace(/^(?:GET|POST|DELETE) \/\S+: /, 'the service: ')
    .replace('this call needs apiKey', 'this needs an API key')
    .replace('this call needs dashboardToken', 'this needs a dashboard token')
    .replace('the function given as dashboardToken failed', 'the login could not be renewed');
  const where = details.map((detail) => `${detail.path} ${detail.message}`).join('; ');
  const help = HELP[code];
  const whole = `${said}${where === '' ? '' : ` (${where})`}`;
  return help === undefined ? whole : `${whole.replace(/\.$/, '')}; ${help}`;
}

/** Removes text that looks like a key or a token, such as one typed by mistake. */
export function withoutCredentials(text: string): string {
  return text
    .replaceAll(/\bsvc_(live|test)_[\w-]+/g, 'svc_$1_…')
    .replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, 'eyJ…');
}

/** The exit code of the process for a single failure. */
export function exitCodeFor(error: unknown, signal: AbortSignal): ExitCode {
  if (signal.aborted) return interruptedBy(signal.reason);
  if (error instanceof InterruptionError) return interruptedBy(error);
  if (error instanceof LocalError) return error.exitCode;
  return error instanceof StorageRoutingError ? serviceExitCode(error) : EXIT.failed;
}

function interruptedBy(reason: unknown): ExitCode {
  const isTermination = reason instanceof InterruptionError && reason.signalName === 'SIGTERM';
  return isTermination ? EXIT.terminated : EXIT.interrupted;
}

/**
 * | the call ended with | exit code |
 * |---|---|
 * | `unauthorized`, `no_credentials` | 4 |
 * | `plan_limit` | 5 |
 * | no answer, `rate_limited`, `unavailable`, a proxy's 502-504 | 6 |
 * | a PUT or download that broke off, or a store's 5xx | 6 |
 * | `invalid_argument` | 2 |
 * | anything else that the service or a store said, `provider_error` too | 1 |
 */
function serviceExitCode({ code, status }: StorageRoutingError): ExitCode {
  switch (code) {
    case 'unauthorized':
    case 'no_credentials':
      return EXIT.unauthorised;
    case 'plan_limit':
      return EXIT.plan;
    case 'unavailable':
    case 'rate_limited':
    case 'connection_failed':
    case 'connection_lost':
    case 'timeout':
      return EXIT.unavailable;
    case 'invalid_argument':
      return EXIT.usage;
    case 'upload_to_provider_failed':
    case 'download_from_provider_failed':
      return status === undefined || status >= 500 ? EXIT.unavailable : EXIT.failed;
    case 'invalid_response':
      return [502, 503, 504].includes(status ?? 0) ? EXIT.unavailable : EXIT.failed;
    default:
      return EXIT.failed;
  }
}

/** All done, partly done, or all failed (the common code, if there is one). */
export function combineExitCodes(codes: readonly ExitCode[]): ExitCode {
  const [first = EXIT.done, ...others] = codes;
  const ended = codes.find((code) => code === EXIT.interrupted || code === EXIT.terminated);
  if (ended !== undefined) return ended;
  if (others.every((code) => code === first)) return first;
  return codes.includes(EXIT.done) ? EXIT.partly : EXIT.failed;
}
