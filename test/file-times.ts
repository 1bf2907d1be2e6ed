import { relative } from 'node:path';
import process from 'node:process';
import Mocha from 'mocha';

const { EVENT_RUN_END, EVENT_SUITE_BEGIN, EVENT_SUITE_END } = Mocha.Runner.constants;

/** What keeps a process for longer than this was left open by a test. */
const END_MS = 30_000;

/** Mocha's own report, then a line for each file with its seconds, hooks included. A process that does not end fails. */
class FileTimes extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const seconds = new Map<string, number>();
    let startedAt = 0;
    runner.on(EVENT_SUITE_BEGIN, (suite) => {
      if (suite.parent?.root === true) startedAt = performance.now();
    });
    runner.on(EVENT_SUITE_END, (suite) => {
      if (suite.parent?.root !== true) return;
      const file = relative(process.cwd(), suite.file ?? '');
      seconds.set(file, (seconds.get(file) ?? 0) + (performance.now() - startedAt) / 1000);
    });
    runner.once(EVENT_RUN_END, () => {
      for (const [file, took] of seconds) process.stdout.write(`${took.toFixed(1)} s ${file}\n`);
      setTimeout(() => {
        process.stdout.write('  something that a test has opened is still open\n');
        // Mocha sets the code of its own result when the process exits.
        process.once('exit', () => {
          process.exitCode = 1;
        });
        process.exit();
      }, END_MS).unref();
    });
  }
}

// Mocha takes a reporter as a module's default export.
export { FileTimes as default };
