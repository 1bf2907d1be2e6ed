#!/usr/bin/env node
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { homedir } from 'node:os';
import process from 'node:process';
import { createClient } from '@storage-routing/client';
import { createIdentity } from './io/identity.ts';
import { openInBrowser } from './commands/open.ts';
import { run } from './program.ts';
import { InterruptionError } from './io/context.ts';

/** Node 20 tries each address of a name for 250 ms, which is less than some handshakes take. */
const ADDRESS_ATTEMPT_MS = 2_000;
setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_ATTEMPT_MS);

const ending = new AbortController();
const end = (signalName: 'SIGINT' | 'SIGTERM') => (): void =>
  ending.abort(new InterruptionError(signalName));
// Once each: a second signal ends the process at once.
process.once('SIGINT', end('SIGINT'));
process.once('SIGTERM', end('SIGTERM'));
// A closed stderr has no reader; there is nothing to report.
process.stderr.on('error', () => undefined);

const exitCode = await run(process.argv.slice(2), {
  createClient,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: ending.signal,
  interrupt: end('SIGINT'),
  identity: createIdentity(Date.now),
  openUrl: (url) => openInBrowser(url, process),
  now: Date.now,
  homeFolder: homedir(),
  workingFolder: process.cwd(),
  platform: process.platform,
});
// Keep-alive connections and an open standard input would keep the process alive for seconds.
process.stdout.write('', () => process.exit(exitCode));
