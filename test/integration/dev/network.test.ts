import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const ROOT = join(import.meta.dirname, '../../..');
const PRELOAD = join(ROOT, 'test/harness/address-attempts.cjs');
/** Every program that opens connections. Without configuration each ends at once. */
const PROGRAMS = [
  'api/main.ts',
  'api/codec/main.ts',
  'worker/main.ts',
  'worker/reseal.ts',
  'cli/src/main.ts',
];

describe('the address of a name that answers a handshake late', () => {
  for (const program of PROGRAMS)
    it(`is waited for longer than Node 20 waits, and shorter than a call: ${program}`, async () => {
      const args = ['--require', PRELOAD, '--import', 'tsx', join(ROOT, program)];
      const env = { PATH: process.env['PATH'] };
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
      const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
      const waitsMs = Number(said.trimEnd().split('\n').at(-1));
      assert.ok(waitsMs > 1_000 && waitsMs < 4_000, said);
    });
});
