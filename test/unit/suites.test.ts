import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, matchesGlob } from 'node:path';
import { phasesOf, type Form, type Group, type SuiteName } from '../suites.ts';

const FILES = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`);
const SUITES: readonly SuiteName[] = ['all', 'browser', 'faults'];

describe('the suites of tests', () => {
  const timesIn = (file: string, form: Form) =>
    SUITES.flatMap((suite) => phasesOf(suite, form).flat()).filter((group) => holds(group, file))
      .length;

  it('have each file exactly once in the long form', () => {
    for (const file of FILES) assert.equal(timesIn(file, 'long'), 1, file);
  });

  it('leave four files out of the short form', () => {
    const left = FILES.filter((file) => timesIn(file, 'short') !== 1).map((file) => basename(file));
    assert.deepEqual(left.map((name) => name.replace('.test.ts', '')).sort(), [
      'copy-long',
      'images',
      'many-objects',
      'memory',
    ]);
  });

  it('await nothing at the top of a file: mocha would load what it imports a second time', () => {
    for (const file of FILES)
      assert.doesNotMatch(
        // Without the programs that a test writes.
        readFileSync(file, 'utf8').replaceAll(/`[^`]*`/g, ''),
        /^(?:(?:export )?(?:const|let) [^\n]*= )?await\b/m,
        file,
      );
  });

  it('name no file that does not exist', () => {
    for (const { files, ignored } of SUITES.flatMap((suite) => phasesOf(suite, 'long').flat()))
      for (const glob of [...files, ...ignored])
        assert.ok(
          FILES.some((file) => matchesGlob(file, glob)),
          glob,
        );
  });
});

function holds({ files, ignored }: Group, file: string): boolean {
  const isIn = (globs: readonly string[]) => globs.some((glob) => matchesGlob(file, glob));
  return isIn(files) && !isIn(ignored);
}
