import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { EXAMPLES } from '../../../cli/src/examples.ts';
import { createProgram } from '../../../cli/src/program.ts';
import { srs } from './terminal.ts';

type Command = ReturnType<typeof createProgram>;

const cli = new URL('../../../cli/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', cli), 'utf8')) as {
  version: string;
};

/** The commands that do something, by their names. */
function leaves(parent: Command, path: readonly string[] = []): [string[], Command][] {
  return parent.commands.flatMap((command) => {
    const name = [...path, command.name()];
    return command.commands.length > 0 ? leaves(command, name) : [[name, command]];
  });
}

const program = createProgram(() => () => Promise.resolve());
/** What another program answers, and what no person calls. */
const ELSEWHERE = new Set(['audit', '__complete']);
const commands = leaves(program).filter(([[name = '']]) => !ELSEWHERE.has(name));

describe('the help', () => {
  for (const [name, command] of commands)
    it(`of srs ${name.join(' ')} has its own options first, and examples that it accepts`, async () => {
      const { stdout: help, exitCode } = await srs([...name, '--help']);
      assert.equal(exitCode, 0);
      const common = help.indexOf('\nOptions of every command:\n');
      const own = help.indexOf('\nOptions:\n');
      assert.ok(common > own, help);
      assert.equal(own > 0, command.options.length > 3, help);
      for (const flag of ['--json', '--base-url', '--insecure', '-h, --help'])
        assert.ok(help.indexOf(`  ${flag}`) > common, flag);
      const [, listed = ''] = help.split('\nExamples:\n');
      const examples = listed.trim().split(/\n\s*/);
      assert.ok(examples[0] !== '', help);
      for (const example of examples) {
        const [words = ''] = /srs [^|)]+/.exec(example) ?? [];
        const given = words.trim().split(/\s+/).slice(1);
        const isDefault = name[1] === 'list' || name[1] === 'scans';
        const path = isDefault && given[1] !== name[1] ? name.slice(0, 1) : name;
        assert.deepEqual(given.slice(0, path.length), path, example);
        const { unknown } = command.parseOptions(given.slice(path.length));
        assert.deepEqual(unknown, [], example);
      }
    });

  it('has no example of a command that does not exist', () => {
    const names = new Set(commands.map(([name]) => name.join(' ')));
    for (const name of Object.keys(EXAMPLES)) assert.ok(names.has(name), name);
  });

  it('is answered without a login: of the program, of a command, and the version', async () => {
    for (const command of ['--help', 'help scan'])
      assert.match((await srs(command, { env: {} })).stdout, /^Usage: srs /m);
    assert.equal((await srs('--version')).stdout, `${manifest.version}\n`);
  });

  it('lists the commands that the README documents', async () => {
    const readme = await readFile(new URL('README.md', cli), 'utf8');
    const names = program.commands.map((command) => command.name());
    assert.ok(names.length > 12);
    for (const name of names.filter((one) => one !== '__complete'))
      assert.match(readme, new RegExp(`^\\|.*\`${name}[ \`]`, 'm'), name);
  });
});
