import assert from 'node:assert/strict';
import { createProgram } from '../../../cli/src/program.ts';
import { type FakeClient, srs } from './terminal.ts';
import { StorageRoutingError } from '../../../sdk/src/index.ts';

type Command = ReturnType<typeof createProgram>;

const ID = 'f11e0000-0000-4000-8000-000000000001';

/** The commands that do something, by their names. */
function leaves(parent: Command, path: readonly string[] = []): [string[], Command][] {
  return parent.commands.flatMap((command) => {
    const name = [...path, command.name()];
    return command.commands.length > 0 ? leaves(command, name) : [[name, command]];
  });
}

const commands = leaves(createProgram(() => () => Promise.resolve())).filter(
  ([[name]]) => name !== '__complete',
);

describe('the help', () => {
  for (const [name, command] of commands)
    describe(`of srs ${name.join(' ')}`, () => {
      let help: string;
      let examples: string[];
      before(async () => {
        const { stdout, exitCode } = await srs([...name, '--help']);
        assert.equal(exitCode, 0);
        help = stdout;
        const [, listed = ''] = stdout.split('\nExamples:\n');
        examples = listed
          .trimEnd()
          .split('\n')
          .map((line) => line.trim());
      });

      it("has the command's own options before those of every command", () => {
        const common = help.indexOf('\nOptions of every command:\n');
        const own = help.indexOf('\nOptions:\n');
        assert.ok(common > own, help);
        assert.equal(own > 0, command.options.length > 3, help);
        for (const flag of ['--json', '--base-url', '--insecure', '-h, --help']) {
          assert.ok(help.indexOf(`  ${flag}`) > common, flag);
        }
      });

      it('has examples, which are what the command accepts', () => {
        assert.ok(examples.length > 0 && examples[0] !== '', help);
        for (const example of examples) {
          const [words = ''] = /srs [^|)]+/.exec(example) ?? [];
          const given = words.trim().split(/\s+/).slice(1);
          const isDefault = name[1] === 'list' || name[1] === 'scans';
          const own = isDefault && given[1] !== name[1] ? name.slice(0, 1) : name;
          assert.deepEqual(given.slice(0, own.length), own, example);
          const { unknown } = command.parseOptions(given.slice(own.length));
          assert.deepEqual(unknown, [], example);
        }
      });
    });

  it('has no example of a command that does not exist', async () => {
    const { EXAMPLES } = await import('../../../cli/src/examples.ts');
    const names = new Set(commands.map(([name]) => name.join(' ')));
    assert.deepEqual(
      Object.keys(EXAMPLES).filter((name) => !names.has(name)),
      [],
    );
  });
});

describe('an error', () => {
  for (const [args, said] of [
    [['get', 'nonsense'], 'nonsense is not a file id (srs history uploads lists them)'],
    [['rm', ID, 'x'], 'x is not a file id (srs history uploads lists them)'],
    [['put', '--resume', 'x', 'a'], 'x is not a file id (srs history uploads lists them)'],
    [['scan', 'x'], 'x is not a connection id (srs connections lists them)'],
    [['scan', '--scan-id', 'x'], 'x is not a scan id (srs history lists them)'],
    [
      ['approve', 'x', '--target', 'b2'],
      'x is not a recommendation id (srs recommendations lists them)',
    ],
    [['migration', 'watch', 'x'], 'x is not a migration id (srs migrations lists them)'],
    [
      ['get', 'svc_test_0d9e6c0e-5c5e-4d55-9c0f-7d4c7b4f3a21'],
      'svc_test_… is not a file id (srs history uploads lists them)',
    ],
  ] as const) {
    it(`says so before anything is sent: ${said}`, async () => {
      const ran = await srs(args);
      assert.deepEqual([ran.exitCode, ran.stdout, ran.stderr], [2, '', `srs: ${said}\n`]);
      assert.equal(ran.options, undefined);
      const [failure] = (await srs([...args, '--json'])).failures();
      assert.deepEqual(failure, { error: said, code: 'wrong_usage' });
    });
  }

  for (const [code, message, said] of [
    [
      'unauthorized',
      'GET /v1/me 401: the API key is not valid',
      'the API key is not valid; log in with: srs login (SRS_API_KEY and SRS_DASHBOARD_TOKEN come before it if they are set)',
    ],
    ['no_credentials', 'this call needs apiKey', 'this needs an API key; log in with: srs login'],
    [
      'no_credentials',
      'this call needs dashboardToken',
      'this needs a dashboard token; log in with: srs login',
    ],
    [
      'connection_failed',
      'GET /v1/me: no connection',
      'the service: no connection; is this the right address? --base-url, SRS_BASE_URL or srs login set it',
    ],
    [
      'recommendation_not_open',
      'POST /v1/scanner/recommendations/x/approve 409: This is over.',
      'This is over; what is open: srs recommendations --status open',
    ],
    ['plan_limit', 'GET /v1/me 402: too much', 'too much; what is used of it: srs usage'],
  ] as const) {
    it(`names no route of the service: ${said}`, async () => {
      const me = () => Promise.reject(new StorageRoutingError({ code, message }));
      const client: FakeClient = { me };
      assert.equal((await srs(['me'], { client })).stderr, `srs: ${said}\n`);
    });
  }
});
