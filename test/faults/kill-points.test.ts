import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { ServiceProcess } from '../../dev/service.ts';
import { TASK_QUEUES } from '../../messages/names.ts';
import { eventually, openDatabase } from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import type { MigrationSuite } from '../harness/migration-customer.ts';
import { openMongoProxy, type MongoProxy } from '../harness/mongo-proxy.ts';
import { startMigrationService } from '../servers.ts';
import { KILLS, STORIES, type KillPoint } from './kill-fixtures/points.ts';
import type { ProcessName, Scene, Stage, Story } from './kill-fixtures/story.ts';

/** Seconds, so that the window of every upload, and every URL, ends within the suite. */
const WINDOW = {
  UPLOAD_URL_SECONDS: '10',
  UPLOAD_GRACE_SECONDS: '2',
  DOWNLOAD_URL_SECONDS: '5',
  RELOCATION_DRAIN_SECONDS: '1',
};
const PREPARED_AT_ONCE = 6;
const VICTIMS = ['api', ...TASK_QUEUES] as const;
/** Their stories begin while they are away, and go on with their start. */
const AWAY_AT_FIRST: ReadonlySet<ProcessName> = new Set(['scans', 'migrations']);

describe('a process that is killed', function () {
  this.timeout(600_000);
  let suite: MigrationSuite;
  let database: Stage['database'];
  const lines = {} as Record<ProcessName, MongoProxy>;
  const processes = {} as Record<ProcessName, ServiceProcess>;
  const recoveries = new Map<KillPoint, Promise<Recovery>>();
  const places: Stage['places'] = [];
  let lastKillAt = 0;

  /** What follows a kill. */
  interface Recovery {
    readonly scene: Scene;
    readonly killedAt: number;
    /** When nothing was left to do. */
    readonly atRest: Promise<number>;
  }

  before(async () => {
    suite = {
      ...(await startMigrationService({ workerCount: 0, environment: WINDOW })),
      migrating: [],
    };
    database = await openDatabase(suite.stack);
    for (const name of VICTIMS) {
      lines[name] = await openMongoProxy(suite.stack.environment['MONGODB_URI'] ?? '');
      const environment = { MONGODB_URI: lines[name].uri };
      processes[name] =
        name === 'api'
          ? await suite.service.addApi(environment)
          : await suite.service.addWorker({ ...environment, WORKER_QUEUES: name });
    }
    const stage = { suite, database, processes, places };
    // A few at a time: all at once keep a machine of two cores so busy that calls exceed their time.
    const begins = new Map<KillPoint, Awaited<ReturnType<Story>>>();
    const unprepared = KILLS.flat().values();
    const prepare = async () => {
      for (const point of unprepared) begins.set(point, await STORIES[point.story](stage));
    };
    await Promise.all(Array.from({ length: PREPARED_AT_ONCE }, prepare));
    // One process is killed again and again; the processes are killed side by side.
    for (const victim of VICTIMS) {
      const ofVictim = KILLS.filter(([first]) => first?.process === victim);
      let previous: Promise<unknown> = Promise.resolve();
      for (const points of ofVictim) {
        const staysAway = AWAY_AT_FIRST.has(victim) && points !== ofVictim.at(-1);
        const kill = previous.then(async () => {
          if (AWAY_AT_FIRST.has(victim)) await processes[victim].kill();
          const begun = points.map(async (point) => await (begins.get(point) ?? assert.fail())());
          return await killAt(victim, points, await Promise.all(begun), staysAway);
        });
        for (const [index, point] of points.entries())
          recoveries.set(
            point,
            kill.then((all) => all[index] ?? assert.fail()),
          );
        // Awaited by its tests, which may come later.
        previous = kill.catch(() => undefined);
      }
    }
    for (const recovery of recoveries.values()) recovery.catch(() => undefined);
  });
  after(async () => {
    await Promise.allSettled(recoveries.values());
    await database?.close();
    await suite?.service.stop();
    await Promise.all(Object.values(lines).map((line) => line.close()));
    for (const { s3 } of places) s3.destroy();
  });

  /** Kills a process when it stands still at all of these points. */
  async function killAt(
    name: ProcessName,
    points: readonly KillPoint[],
    scenes: readonly Scene[],
    staysAway: boolean,
  ): Promise<Recovery[]> {
    const [line, victim] = [lines[name], processes[name]];
    const ahead = new Set(points);
    for (const [index, point] of points.entries()) {
      const { reached, about } = scenes[index] ?? assert.fail();
      const isReached = reached?.() ?? line.stopAt({ ...(point.write ?? assert.fail()), about });
      isReached.then(
        () => ahead.delete(point),
        () => undefined,
      );
    }
    // Each is cut off by the kill; one that ends before has a reason.
    const ended: unknown[] = [];
    const calls = Promise.all(
      scenes.map(async ({ go }) => await go?.().catch((error: unknown) => ended.push(error))),
    );
    try {
      if (!victim.isRunning) await victim.restart();
      await eventually('the writes are reached', () => Promise.resolve(ahead.size === 0)).catch(
        () => assert.fail(`not reached: ${[...ahead].map(titleOf).join(', ')}; ${inspect(ended)}`),
      );
      await victim.kill('SIGKILL');
    } finally {
      lastKillAt = performance.now();
      line.mend();
      await Promise.all(scenes.map(async ({ meanwhile }) => await meanwhile?.()));
      await calls;
      if (!staysAway) await victim.restart();
    }
    const killedAt = lastKillAt;
    return scenes.map((scene) => {
      const atRest = scene.atRest().then(() => performance.now());
      atRest.catch(() => undefined);
      return { scene, killedAt, atRest };
    });
  }

  for (const point of KILLS.flat()) {
    it(titleOf(point), async () => {
      const { scene, killedAt, atRest } = await (recoveries.get(point) ?? assert.fail());
      const at = await atRest;
      // Later kills delay it: what counts is the time with all processes alive.
      const ms = at - Math.max(killedAt, Math.min(at, lastKillAt));
      assert.ok(ms < (scene.withinMs ?? Number.POSITIVE_INFINITY), `it took ${ms} ms`);
      await scene.assertEnd?.();
    });
  }

  it('leaves every invariant intact', async () => {
    await assertInvariants({ ...suite, places });
  });
});

function titleOf({ process, story, at }: KillPoint): string {
  const name = process === 'api' ? 'API' : `worker of ${process}`;
  return `in “${story}”, the ${name} ${at}, is replaced and leaves the same end`;
}
