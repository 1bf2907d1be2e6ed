import assert from 'node:assert/strict';
import type { Stack } from '../../../dev/stack.ts';
import type { Service, ServiceProcess } from '../../../dev/service.ts';
import { isSoon } from '../../../dev/system/probes.ts';
import { createCloudCustomer } from '../../harness/cloud-customer.ts';
import { assertRefused, call, createCustomer } from '../../harness/customer.ts';
import { recordAcknowledgements } from '../../harness/invariants/acknowledgements.ts';
import { assertInvariants } from '../../harness/invariants.ts';
import { readUsage, type ProcessUsage } from '../../harness/process-usage.ts';
import type { ProxiedServer, ToxicName } from '../../harness/toxiproxy.ts';
import {
  ANY_FATE,
  FATES,
  findWrong,
  prepareCalls,
  type Asked,
  type Outcome,
  type PreparedCalls,
} from './calls.ts';

export interface LaneOptions {
  readonly stack: Stack;
  readonly service: Service;
  readonly poisoned: readonly ProxiedServer[];
  /** What is poisoned. */
  readonly dependency: keyof typeof FATES;
}

/** One service whose dependencies are poisoned, one toxic after the other. */
export interface Lane {
  /** Every call under the toxic, and the recovery after it. @throws AssertionError */
  endure(toxic: ToxicName): Promise<void>;
  /** No process has crashed or answered 500, and the invariants hold. @throws AssertionError */
  assertSound(): Promise<void>;
  stop(): Promise<void>;
}

/** The dependency is away as a whole: each call that needs it must say so, and no other may. */
const AWAY: ReadonlySet<ToxicName> = new Set(['no server', 'a connection that hangs']);
const WELL_WITHIN_MS = 60_000;
/** What a process may hold more than before the first toxic: idle connections, and a heap that grows slowly. */
const MORE_SOCKETS = 15;
const MORE_BYTES = 120 * 2 ** 20;

export async function createLane(options: LaneOptions): Promise<Lane> {
  const { stack, service, poisoned, dependency } = options;
  const [api] = service.apis;
  const [worker] = service.workers;
  assert.ok(api && worker);
  const acknowledged = recordAcknowledgements();
  /** All is well, but on a busy machine a dependency may miss a deadline, and the answer is 503. */
  const prepare = async (): Promise<PreparedCalls> => {
    let failure: unknown;
    const options = { withinMs: WELL_WITHIN_MS, everyMs: 500 };
    let calls: PreparedCalls | undefined;
    const isPrepared = async () => {
      calls = await prepareCalls(stack, service.baseUrl, acknowledged.send).catch((error) => {
        failure = error;
        return undefined;
      });
      return calls !== undefined;
    };
    await isSoon(isPrepared, options);
    if (!calls) throw failure;
    return calls;
  };

  // What a call answers when all is well, and what the processes hold then.
  const calm = new Map<string, Outcome>();
  const isCalm = async () => {
    for (const outcome of (await (await prepare()).ask()).outcomes) calm.set(outcome.name, outcome);
    return [...calm.values()].every(({ code }) => code !== 'unavailable');
  };
  assert.ok(await isSoon(isCalm, { withinMs: WELL_WITHIN_MS, everyMs: 500 }), 'never calm');
  await assertWell();
  const usage = new Map<ServiceProcess, ProcessUsage>();
  for (const each of [api, worker]) usage.set(each, await readUsage(each.pid));
  const pids = new Map([api, worker].map((each) => [each, each.pid]));

  /** A whole upload by a new customer, and a scan, which the worker does. */
  async function isWell(): Promise<boolean> {
    try {
      if ((await call(service.baseUrl, 'GET /ready')).status !== 200) return false;
      const customer = await createCustomer(stack, service.baseUrl, ['r2'], acknowledged.send);
      const { fileId } = await customer.send();
      if ((await customer.complete(fileId)).status !== 200) return false;
      if ((await customer.delete(fileId)).status !== 200) return false;
      const cloud = await createCloudCustomer(stack, service.baseUrl);
      return (await cloud.scan()).status === 'completed';
    } catch {
      return false;
    }
  }
  async function assertWell(): Promise<void> {
    const options = { withinMs: WELL_WITHIN_MS, everyMs: 500 };
    assert.ok(await isSoon(isWell, options), `not well within ${WELL_WITHIN_MS} ms`);
  }
  /** Where `/health` and `/ready` ask it. */
  async function assertDegraded(): Promise<void> {
    if (dependency !== 'mongodb' && dependency !== 'temporal') return;
    const { status, body } = await call(service.baseUrl, 'GET /health');
    const dependencies = body['dependencies'] as Record<string, string>;
    assert.deepEqual([status, body['status'], dependencies[dependency]], [200, 'degraded', 'down']);
    const ready = await call(service.baseUrl, 'GET /ready');
    if (dependency === 'temporal') assert.equal(ready.status, 200, 'uploads work');
    else assertRefused(ready, { status: 503, code: 'unavailable' }, 'GET /ready');
  }
  async function assertFrugal(): Promise<void> {
    for (const [each, before] of usage) {
      let present = before;
      const isFrugal = async () => {
        present = await readUsage(each.pid);
        return (
          present.sockets <= before.sockets + MORE_SOCKETS &&
          present.bytes <= before.bytes + MORE_BYTES
        );
      };
      const isBack = await isSoon(isFrugal, { withinMs: WELL_WITHIN_MS, everyMs: 500 });
      assert.ok(isBack, `${each.name} holds ${describe(present)}, and before ${describe(before)}`);
    }
  }

  return {
    async endure(toxic) {
      const isAway = AWAY.has(toxic);
      const calls = await prepare();
      for (const each of poisoned) await each.poison(toxic);
      let asked: Asked;
      try {
        // The API asks it at its start only.
        if (dependency === 'identity') {
          await api.restart();
          pids.set(api, api.pid);
        }
        asked = await calls.ask();
        if (isAway) await assertDegraded();
      } finally {
        for (const each of poisoned) await each.heal();
      }
      await assertWell();
      assert.deepEqual(findWrong(asked, calm, isAway ? FATES[dependency] : ANY_FATE), []);
      await assertFrugal();
    },
    async assertSound() {
      for (const [each, pid] of pids) {
        assert.ok(each.isRunning && each.pid === pid, `${each.name} has crashed`);
        const lines = (await each.readLog()).split('\n');
        const isDefect = (line: string) => /unhandled|uncaught|"status":500,"ms"/i.test(line);
        assert.deepEqual(lines.filter(isDefect), []);
      }
      await assertInvariants({ stack, service, acknowledged });
    },
    stop: () => service.stop(),
  };
}

function describe({ sockets, bytes }: ProcessUsage): string {
  return `${sockets} sockets and ${Math.round(bytes / 2 ** 20)} MiB`;
}
