import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createCache, nativeEntry } from '../../../dev/system/cache.ts';
import { createProgress } from '../../../dev/system/progress.ts';
import { fromDownload, fromGo } from '../../../dev/services/program-resolvers.ts';
import { findProgram, type ResolverContext } from '../../../dev/services/service.ts';

/** A compiler that takes a while, and makes a program that runs. */
const GO = `#!/bin/sh
[ "$1" = build ] || exit 0
while [ "$1" != -o ]; do shift; done
sleep 0.3
printf '#!/bin/sh\\necho 1.0\\n' >"$2"
chmod +x "$2"
`;

describe('the first start on a machine', () => {
  const path = process.env['PATH'];
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'first-start-'));
    await writeFile(join(folder, 'go'), GO);
    await chmod(join(folder, 'go'), 0o755);
    process.env['PATH'] = `${folder}:${path}`;
  });
  after(async () => {
    process.env['PATH'] = path;
    await rm(folder, { recursive: true });
  });

  /** Finds a program that no host offers, as one of several processes that share a cache. */
  async function findTogether(processes: number): Promise<readonly string[]> {
    const lines: string[] = [];
    const find = async () => {
      const progress = createProgress((line) => lines.push(line.replace(/^\[.*?\] /, '')), 50);
      const context: ResolverContext = { progress, cache: createCache(progress, folder) };
      const target = { ...nativeEntry('server', '1.0'), program: 'server', versionArgs: [] };
      const url = 'http://127.0.0.1:1/server';
      const service = {
        name: 'server',
        version: '1.0',
        addresses: [],
        resolvers: () => [
          fromDownload(context, target, { url, packed: false }),
          fromGo(context, target, 'example.com/server@v1.0.0'),
        ],
      };
      const { command } = await findProgram(service, context);
      assert.match(command, /server$/);
    };
    await Promise.all(Array.from({ length: processes }, find));
    return lines;
  }

  it('says what it builds and that this takes minutes, goes on saying so, and calls nothing a download that is built', async () => {
    const lines = await findTogether(2);
    const builds = 'server: go build example.com/server@v1.0.0';
    assert.ok(
      lines.includes(`${builds}, which takes minutes, once on this machine …`),
      lines.join('\n'),
    );
    assert.ok(
      lines.some((line) => line.startsWith(`${builds}: goes on (`)),
      lines.join('\n'),
    );
    assert.equal(lines.filter((line) => line.startsWith(`${builds}: done (`)).length, 1);
    assert.ok(!lines.some((line) => /download: done/.test(line)), lines.join('\n'));
    const spared = lines.filter((line) => /: not needed, another process has put it/.test(line));
    assert.equal(spared.length, 1, lines.join('\n'));
  });
});
