import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Job {
  readonly uses?: string;
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[];
}
interface Package {
  readonly name: string;
  readonly version: string;
  readonly private?: true;
  readonly engines?: { readonly node: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly workspaces?: readonly string[];
}

const FOLDER = '.github/workflows';
const CLIENT = '@storage-routing/client';
const readPackage = (folder: string) =>
  JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Package;
const readWorkflow = (name: string) =>
  parse(readFileSync(`${FOLDER}/${name}.yml`, 'utf8')) as Workflow;
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps = [] }) => steps);

describe('the workflows of the repository', () => {
  const names = readdirSync(FOLDER).map((name) => `${FOLDER}/${name}`);

  it('pin each action by digest, name its version, and say where the digest was seen', () => {
    assert.deepEqual(names.length, 2);
    for (const name of names) {
      const text = readFileSync(name, 'utf8');
      const [comments = ''] = text.split('\nname:');
      for (const [, action = '', rest] of text.matchAll(/uses: ([\w./-]+)(.*)/g)) {
        if (action.startsWith('./')) continue;
        assert.match(rest ?? '', /^@[\da-f]{40} # v\d+\.\d+\.\d+$/, action);
        const [, short = ''] = action.split('/');
        assert.ok(comments.includes(short.replace(/-(?:action|installer)$/, '')), action);
      }
    }
  });

  it('read the repository and nothing more, and end by themselves', () => {
    for (const name of ['ci', 'release']) {
      const { permissions, jobs } = readWorkflow(name);
      assert.deepEqual(permissions, { contents: 'read' });
      for (const job of Object.values(jobs)) assert.ok(job.uses ?? job['timeout-minutes'], name);
    }
  });

  it('run .ci/run on the versions of Node that are supported, also before a release', () => {
    const ci = readWorkflow('ci');
    const { matrix } = ci.jobs['check']?.strategy ?? assert.fail();
    assert.deepEqual(matrix['node'], ['20', '22', '24']);
    assert.ok(readPackage('.').engines?.node.startsWith('>=20'));
    assert.ok(stepsOf(ci).some(({ run }) => run === '.ci/run'));
    assert.equal(readWorkflow('release').jobs['check']?.uses, './.github/workflows/ci.yml');
  });

  it('publish every package that is not private, each with the version of the tag', () => {
    const root = readPackage('.');
    const workspaces = root.workspaces ?? [];
    const published = workspaces.filter((folder) => !readPackage(folder).private);
    const run = stepsOf(readWorkflow('release')).flatMap((step) => step.run ?? []);
    const [, folders = ''] = /for folder in ([\w ]+);/.exec(run.join('\n')) ?? [];
    assert.deepEqual(folders.split(' ').sort(), [...published].sort());
    for (const folder of published) {
      const { version, dependencies = {} } = readPackage(folder);
      assert.equal(version, root.version, folder);
      assert.equal(dependencies[CLIENT] ?? root.version, root.version, folder);
    }
  });
});
