import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { run } from '../../../cli/src/program.ts';
import { InterruptionError, type CliContext } from '../../../cli/src/io/context.ts';
import type { ClientOptions, PagedList, StorageRoutingClient } from '../../../sdk/src/index.ts';
import { StorageRoutingError } from '../../../sdk/src/index.ts';

/** The client methods that a test needs; any other call fails. A list may be a page without an iterator. */
export type FakeClient = {
  [Name in keyof StorageRoutingClient]?: {
    [Method in keyof StorageRoutingClient[Name]]?: Fake<StorageRoutingClient[Name][Method]>;
  } & (StorageRoutingClient[Name] extends (...args: never) => unknown
    ? StorageRoutingClient[Name]
    : unknown);
};

type Fake<Method> = Method extends (...args: infer Args) => PagedList<infer Page>
  ? (...args: Args) => Promise<Page>
  : Method;

export interface RunOptions extends Partial<Omit<CliContext, 'createClient'>> {
  client?: FakeClient;
  /** Answers to successive prompts; implies a terminal. */
  answers?: readonly string[];
  isTerminal?: boolean;
  /** Standard input without a terminal. */
  input?: readonly string[];
}

export const API_KEY = 'svc_test_0d9e6c0e-5c5e-4d55-9c0f-7d4c7b4f3a21';
export const TOKEN = 'canary-dashboard-token';
export const CREDENTIALS = {
  SRS_BASE_URL: 'https://routing.example.com',
  SRS_API_KEY: API_KEY,
  SRS_DASHBOARD_TOKEN: TOKEN,
};

export const FILE_ID = 'f11e0000-0000-4000-8000-000000000001';
export const SCAN_ID = '5ca70000-0000-4000-8000-000000000001';
export const CONNECTION_ID = 'c0770000-0000-4000-8000-000000000001';
export const RECOMMENDATION_ID = '4ec00000-0000-4000-8000-000000000001';
export const MIGRATION_ID = '31600000-0000-4000-8000-000000000001';

/** What the client rejects with. */
export const refusal = (code: string, status?: number, fileId?: string) =>
  new StorageRoutingError({ code, message: `because of ${code}`, status, fileId });

const folders: string[] = [];
after(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

/** A temporary folder, removed after the tests. */
export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'srs-cli-test-'));
  folders.push(folder);
  return folder;
}

/** Runs the program with its own streams, variables and folders. A text is split at its spaces. */
export async function srs(command: string | readonly string[], given: RunOptions = {}) {
  const args = typeof command === 'string' ? command.split(' ').filter(Boolean) : command;
  const isTerminal = given.isTerminal ?? given.answers !== undefined;
  const stdin = inputOf(given, isTerminal);
  const written = { stdout: '', stderr: '' };
  const answers = [...(given.answers ?? [])];
  const output = (name: 'stdout' | 'stderr') =>
    Object.assign(
      new Writable({
        write(piece: Buffer, _encoding, done) {
          const text = piece.toString();
          written[name] += text;
          if (/(\[y\/N\]|:) $/.test(text))
            setImmediate(() => stdin.write(answers.shift() ?? '\u0004'));
          done();
        },
      }),
      { isTTY: isTerminal, columns: 200 },
    );
  const ending = new AbortController();
  const folder = given.homeFolder ?? (await emptyFolder());
  let options: ClientOptions | undefined;
  const exitCode = await run(args, {
    stdin,
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: CREDENTIALS,
    signal: ending.signal,
    interrupt: () => ending.abort(new InterruptionError('SIGINT')),
    // Without a login from a terminal.
    identity: {
      begin: () => Promise.resolve(undefined),
      renew: () => Promise.reject(new Error('nothing to renew')),
      revoke: () => Promise.resolve(),
    },
    openUrl: () => Promise.resolve(false),
    now: () => 0,
    homeFolder: folder,
    workingFolder: folder,
    platform: process.platform,
    ...given,
    createClient(clientOptions) {
      options = clientOptions;
      return (given.client ?? {}) as StorageRoutingClient;
    },
  });
  const parsed = (text: string) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    exitCode,
    ...written,
    /** The options of the created client; undefined where no client was created. */
    options,
    /** One value for each line of standard output, and of standard error. */
    documents: () => parsed(written.stdout),
    failures: () => parsed(written.stderr),
  };
}

function inputOf({ input = [] }: RunOptions, isTerminal: boolean): PassThrough {
  const stdin = new PassThrough();
  if (isTerminal) return Object.assign(stdin, { isTTY: true, setRawMode: () => stdin });
  for (const piece of input) stdin.write(piece);
  return stdin.end();
}
