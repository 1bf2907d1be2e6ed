import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { openRecords } from '../../adapters/mongo/records.ts';
import { startService } from '../../dev/service.ts';
import { createClient } from '../../sdk/src/index.ts';
import { insertMove } from '../harness/stored-recommendation.ts';
import { startOwnStack } from '../servers.ts';
import { openTemporalClient } from '../harness/temporal.ts';

/**
 * `MANY_OBJECTS=1000000` is the long form: it takes minutes, and gigabytes of the database's disk. Only
 * there is the memory held against its bound, for only there does the worker run as it is built.
 */
const OBJECTS = Number(process.env['MANY_OBJECTS'] || 10_000);
const IS_LONG = OBJECTS > 100_000;
const FIXTURES = 'test/faults/migration-fixtures';
const run = promisify(execFile);
const MAX_EVENTS = 8_000;
const MAX_BYTES = 300e6;
const OBJECT_BYTES = 16;

describe('a migration of many objects', function () {
  this.timeout(120_000 + OBJECTS);

  async function buildWorker(): Promise<string> {
    if (!IS_LONG) return `${FIXTURES}/faked-worker.ts`;
    await run('npm', ['run', 'build']);
    await run('node_modules/.bin/tsc', ['-p', FIXTURES]);
    return `dist/${FIXTURES}/faked-worker.js`;
  }

  it(`of ${OBJECTS} objects stays within its events and its memory`, async () => {
    const stack = await startOwnStack({ persistent: IS_LONG });
    const service = await startService(stack, {
      entries: {
        api: 'api/main.ts',
        worker: await buildWorker(),
      },
      environment: { DEFAULT_PLAN: 'enterprise', FAKED_OBJECTS: String(OBJECTS) },
    });
    const records = openRecords({
      uri: stack.environment['MONGODB_URI'] ?? '',
      database: 'storage_routing',
    });
    const temporal = await openTemporalClient(stack);
    try {
      const accountId = `many-${randomUUID().slice(0, 8)}`;
      assert.ok(stack.identity);
      const dashboardToken = stack.identity.issueToken({ account: accountId, algorithm: 'ES256' });
      const client = createClient({ baseUrl: service.baseUrl, dashboardToken });
      const keys = { accessKeyId: 'A'.repeat(20), secretAccessKey: 's'.repeat(40) };
      const region = 'us-west-2';
      for (const provider of ['aws', 'b2'] as const)
        await client.providers.save({
          provider,
          ...keys,
          bucketName: `${provider}-bucket`,
          region,
        });
      const recommendationId = await insertMove(records, {
        accountId,
        bucket: 'many',
        region,
        objects: OBJECTS,
        bytes: OBJECTS * OBJECT_BYTES,
      });
      const { migrationId } = await client.migrations.approve(recommendationId, {
        targetProvider: 'b2',
      });
      const migration = await client.migrations.waitFor(migrationId, { pollMs: 500 });
      assert.equal(migration.status, 'completed', JSON.stringify(migration));
      assert.equal(migration.progress.objectsCopied, OBJECTS);

      let lines = 0;
      for await (const line of client.migrations.report(migrationId))
        lines += 'key' in line ? 1 : 0;
      assert.equal(lines, OBJECTS);
      const { workflow } = temporal;
      const handle = workflow.getHandle(`migration/${recommendationId}`);
      const events = (await handle.fetchHistory()).events?.length ?? 0;
      const bytes = await peakBytes(service.workers[0]?.pid ?? 0);
      const seconds =
        (Date.parse(migration.completedAt ?? '') - Date.parse(migration.startedAt ?? '')) / 1000;
      process.stdout.write(
        `      ${OBJECTS} objects: ${events} events, ${Math.round(bytes / 1e6)} MB at most, ${seconds} s\n`,
      );
      assert.ok(events <= MAX_EVENTS, `${events} events`);
      if (IS_LONG) assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
    } finally {
      await temporal.connection.close();
      await records.close();
      await service.stop();
      await stack.stop();
    }
  });
});

async function peakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}
