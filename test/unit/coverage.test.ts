import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import process from 'node:process';

describe('docs/coverage.md', () => {
  it('names a test for each statement of the specification, and is up to date', () => {
    const command = ['--import', 'tsx', 'test/specification/coverage.ts', '--check'];
    const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });
});
