import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import Mocha from 'mocha';

/** The full titles of the tests of each file. */
export type Titles = ReadonlyMap<string, readonly string[]>;

/**
 * Reads which tests the files describe; a skipped one holds nothing, and is left out. No test and no hook runs, so no server is started. A file that
 * does not exist is not in the answer.
 */
export async function readTitles(files: readonly string[]): Promise<Titles> {
  const titles = new Map<string, readonly string[]>();
  const mocha = new Mocha();
  const known = files.filter((file) => existsSync(file));
  for (const file of known) mocha.addFile(resolve(file));
  await mocha.loadFilesAsync();
  const all = testsOf(mocha.suite);
  for (const file of known) {
    const own = all.filter((test) => test.file === resolve(file));
    titles.set(
      file,
      own.map((test) => test.fullTitle()),
    );
  }
  return titles;
}

function testsOf(suite: Mocha.Suite): Mocha.Test[] {
  return [...suite.tests.filter((test) => !test.isPending()), ...suite.suites.flatMap(testsOf)];
}
