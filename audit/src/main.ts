#!/usr/bin/env node
import process from 'node:process';
import { growHeapSlowly } from '../../config/heap.ts';
import { waitForHandshakes } from '../../config/network.ts';
import { run } from './run.ts';

// The bundle has the SDK that it was built with.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
growHeapSlowly();
waitForHandshakes();
const interruption = new AbortController();
// Once: a second Ctrl-C ends the process at once.
process.once('SIGINT', () => interruption.abort());
// A closed stderr has no reader; there is nothing to report.
process.stderr.on('error', () => undefined);

const exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  interrupted: interruption.signal,
});
// Keep-alive connections would keep the process alive for seconds.
process.stdout.write('', () => process.exit(exitCode));
