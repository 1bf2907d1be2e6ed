import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const sdk = fileURLToPath(new URL('../../../sdk/', import.meta.url));

/** Nearly half more than the current size, as a margin. */
const MOST_GZIP_BYTES = 16_000;

describe('the client library in a browser', () => {
  it('is small, and loads without Node modules', async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'size'], { cwd: sdk });
    const [, gzipBytes] = /^\d+ bytes minified, (\d+) bytes gzip\n$/.exec(stdout) ?? [];
    assert.ok(Number(gzipBytes) < MOST_GZIP_BYTES, stdout);
  });
});
