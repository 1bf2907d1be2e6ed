import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const sdk = fileURLToPath(new URL('../../../sdk/', import.meta.url));

/** About a seventh more than the current sizes, as a margin. */
const MOST_GZIP_BYTES = { client: 13_500, put: 4_000 };

describe('the client library in a browser', () => {
  it('is small, and a page that only sends takes a third of it', async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'size'], { cwd: sdk });
    for (const [name, most] of Object.entries(MOST_GZIP_BYTES)) {
      const [, gzipBytes] =
        new RegExp(`^${name}: \\d+ bytes minified, (\\d+) bytes gzip$`, 'm').exec(stdout) ?? [];
      assert.ok(Number(gzipBytes) < most, stdout);
    }
  });
});
