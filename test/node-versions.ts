import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import process from 'node:process';

/**
 * `npm run test:nodes`: the unit suite on the versions of Node that the service supports besides the one
 * that is installed. The images run on the last of them. The binaries are packages of npm.
 */
const VERSIONS = ['22', '24'];
const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
/**
 * What they prove does not depend on Node: sums of random accounts and bundles for browsers, which take long, and the
 * package, which is built in its folder and so by one process at a time.
 */
const ON_ONE_VERSION = [
  'test/unit/oracle/{random,samples}.test.ts',
  'test/unit/sdk/{bundlers,package}.test.ts',
];
const MOCHA = ['node', 'node_modules/mocha/bin/mocha.js', 'test/unit/**/*.test.ts'].concat(
  ON_ONE_VERSION.flatMap((file) => ['--ignore', file]),
);

const counts = { passing: 0, failing: 0 };

async function run(version: string): Promise<boolean> {
  const child = spawn('npm', ['exec', '--yes', `--package=${PACKAGE}@${version}`, '--', ...MOCHA], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  for await (const line of createInterface({ input: child.stdout })) {
    const [, count, outcome] = /^ {2}(\d+) (passing|failing)\b/.exec(line) ?? [];
    if (outcome === 'passing' || outcome === 'failing') counts[outcome] += Number(count);
    process.stdout.write(`Node ${version} | ${line}\n`);
  }
  const [code] = await closed;
  return code === 0;
}

const isClean = (await Promise.all(VERSIONS.map(run))).every(Boolean);
process.stdout.write(`\n  ${counts.passing} passing\n`);
if (counts.failing > 0) process.stdout.write(`  ${counts.failing} failing\n`);
process.exit(isClean ? 0 : 1);
