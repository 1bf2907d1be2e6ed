import assert from 'node:assert/strict';
import type { ServiceProcess } from '../../dev/service.ts';
import { TASK_QUEUES } from '../../messages/names.ts';
import { eventually, openDatabase } from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import type { MigrationSuite } from '../harness/migration-customer.ts';
import { openMongoProxy, type MongoProxy } from '../harness/mongo-proxy.ts';
import { startMigrationService } from '../servers.ts';
import { KILL_POINTS, STORIES, type KillPoint } from './kill-fixtures/points.ts';
import type { ProcessName, Scene, Stage } from './kill-fixtures/story.ts';

/** Seconds, so that the window of every upload closes within the suite. */
const WINDOW = { UPLOAD_URL_SECONDS: '10', UPLOAD_GRACE_SECONDS: '2' };
const VICTIMS = ['api', ...TASK_QUEUES] as const;
/** Their stories begin while they are away, so that each is started once between two kills. */
const AWAY_AT_FIRST: ReadonlySet<ProcessName> = new Set(['scans', 'migrations']);

describe('a process that is killed', function () {
  this.timeout(600_000);
  let suite: MigrationSuite;
  let database: Stage['database'];
  const lines = {} as Record<ProcessName, MongoProxy>;
  const processes = {} as Record<ProcessName, ServiceProcess>;
  const kills = new Map<KillPoint, Promise<Recovery>>();
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
    const stage = { suite, database, processes };
    const prepared = await Promise.all(KILL_POINTS.map(({ story }) => STORIES[story](stage)));
    // One process is killed again and again; the processes are killed side by side.
    for (const victim of VICTIMS) {
      let previous: Promise<unknown> = Promise.resolve();
      const last = KILL_POINTS.findLast(({ process }) => process === victim);
      for (const [index, point] of KILL_POINTS.entries()) {
        if (point.process !== victim) continue;
        const begin = prepared[index] ?? assert.fail();
        const staysAway = AWAY_AT_FIRST.has(victim) && point !== last;
        const kill = previous.then(async () => await killAt(point, await begin(), staysAway));
        kills.set(point, kill);
        // Awaited by its test, which may come later.
        previous = kill.catch(() => undefined);
      }
    }
  });
  after(async () => {
    await Promise.allSettled(kills.values());
    await database?.close();
    await suite?.service.stop();
    await Promise.all(Object.values(lines).map((line) => line.close()));
  });

  async function killAt(
    { process, write }: KillPoint,
    scene: Scene,
    staysAway: boolean,
  ): Promise<Recovery> {
    const [line, victim] = [lines[process], processes[process]];
    let isReached = false;
    const reached =
      scene.reached?.() ?? line.stopAt({ ...(write ?? assert.fail()), about: scene.about });
    void reached.then(() => (isReached = true));
    const call = scene.go().catch((error: unknown) => error);
    try {
      await eventually('the write is reached', () => Promise.resolve(isReached));
      await victim.kill('SIGKILL');
    } finally {
      lastKillAt = performance.now();
      line.mend();
      await scene.meanwhile?.();
      await call;
      if (!staysAway) await victim.restart();
    }
    const atRest = scene.atRest().then(() => performance.now());
    atRest.catch(() => undefined);
    return { scene, killedAt: lastKillAt, atRest };
  }

  for (const point of KILL_POINTS) {
    const name = point.process === 'api' ? 'API' : `worker of ${point.process}`;
    it(`in “${point.story}”, the ${name} ${point.at}, is replaced and leaves the same end`, async () => {
      const { scene, killedAt, atRest } = await (kills.get(point) ?? assert.fail());
      const at = await atRest;
      // Later kills delay it: what counts is the time with all processes alive.
      const ms = at - Math.max(killedAt, Math.min(at, lastKillAt));
      assert.ok(ms < (scene.withinMs ?? Number.POSITIVE_INFINITY), `it took ${ms} ms`);
      await scene.assertEnd?.();
    });
  }

  it('leaves every invariant intact', async () => {
    await assertInvariants(suite);
  });
});
