import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { programPath } from '../../harness/programs.ts';
import { buildCommandLine, PROGRAM } from './command-line.ts';

/** What is typed before the Tab key, and what the shell offers or makes of it. */
const CASES = { provid: 'providers', 'put --prior': '--priority', 'put --priority a': 'archive' };
const PATHS = { 'completion fi': 'fish', 'put my': 'my film.mp4' };

type Ask = (words: readonly string[]) => Promise<string[]>;

describe('the completion in the shells of this machine', () => {
  let folder: string;
  before(async () => {
    await buildCommandLine();
    folder = await mkdtemp(join(tmpdir(), 'srs-completion-'));
    const bin = join(folder, 'bin');
    await mkdir(bin);
    // What a shell asks for is answered by the program; a command that it runs is only written down.
    const program = `#!/bin/sh
      case $1 in
        completion | __complete) exec '${process.execPath}' '${PROGRAM}' "$@" ;;
        *) printf '%s\\n' "$@" > '${join(folder, 'ran')}' ;;
      esac`;
    await writeFile(join(bin, 'srs'), program);
    await chmod(join(bin, 'srs'), 0o755);
    await writeFile(join(folder, 'my film.mp4'), '');
  });
  after(() => rm(folder, { recursive: true }));

  async function run(shell: string, args: readonly string[]): Promise<string> {
    const PATH = `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`;
    const env = { ...process.env, PATH, HOME: folder, XDG_CONFIG_HOME: folder, TERM: 'xterm' };
    const { stdout } = await promisify(execFile)(shell, args, {
      cwd: folder,
      env,
      timeout: 60_000,
    });
    return stdout;
  }

  const shells: Record<string, Ask> = {
    async bash(words) {
      const script = `
        eval "$(srs completion bash)"
        COMP_WORDS=(srs "$@"); COMP_CWORD=$#
        _srs
        printf '%s\\n' "\${COMPREPLY[@]}"`;
      return linesOf(await run('bash', ['-c', script, 'bash', ...words]));
    },
    async fish(words) {
      const line = ['srs', ...words].join(' ');
      const script = `srs completion fish | source; complete -C '${line}'`;
      const offered = linesOf(await run('fish', ['--no-config', '-c', script]));
      // fish quotes a path as it is inserted.
      return offered.map((each) => (each.split('\t')[0] ?? '').replaceAll('\\ ', ' '));
    },
    /** Presses Tab and Return in a terminal of its own; the last word is what the shell then ran. */
    async zsh(words) {
      const script = `
        zmodload zsh/zpty
        zpty tty "zsh -f -i"
        zpty -w tty 'autoload -Uz compinit; compinit -u -D; eval "$(srs completion zsh)"; echo re""ady'
        zpty -r tty seen '*ready*'
        zpty -w -n tty 'srs ${words.join(' ')}'$'\\t\\n''exit'$'\\n'
        while zpty -r tty seen; do :; done`;
      await run('zsh', ['-f', '-c', script]);
      const ran = linesOf(await readFile(join(folder, 'ran'), 'utf8'));
      return ran.slice(words.length - 1);
    },
  };

  for (const [shell, ask] of Object.entries(shells)) {
    if (programPath(shell) === undefined) {
      process.stdout.write(`No ${shell} is on this machine: its completion is not tried.\n`);
      continue;
    }
    it(`of ${shell} offers commands, options, their values and paths`, async () => {
      for (const [typed, offered] of Object.entries({ ...CASES, ...PATHS }))
        assert.deepEqual(await ask(typed.split(' ')), [offered], typed);
    });
  }
});

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
