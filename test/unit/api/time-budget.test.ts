import assert from 'node:assert/strict';
import { createAssumeRole } from '../../../adapters/cloud-account/roles.ts';
import { bucketAddress } from '../../../adapters/object-store/address.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import { createStoreHttp } from '../../../adapters/object-store/http-client.ts';
import { sendBuffered } from '../../../adapters/object-store/http-messages.ts';
import { createRequestScope } from '../../../adapters/telemetry/request-scope.ts';
import { createBounded } from '../../../adapters/temporal/workflows.ts';
import { createTimeBudget } from '../../../api/http/time-budget.ts';
import { AppError } from '../../../domain/common/errors.ts';
import { startSilentServer, type Listener } from '../../contract/connections.ts';
import { withEnvironment } from '../../harness/environment.ts';
import { endpointsAt } from '../../harness/catalogue.ts';

const LONG_MS = 60_000;
/** Longer than any pause of a busy machine, shorter than `LONG_MS`. */
const PAUSE_MS = 3_000;
const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'unavailable';
const isTimedOut = (error: unknown) => error instanceof StoreError && error.failure === 'timed_out';
const forever = () => new Promise<never>(() => {});
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('the time budget of a call', () => {
  const requests = createRequestScope();
  const inRequest = <T>(work: () => T) => requests.run('r', work);
  const failOnLate = (error: unknown) => assert.fail(String(error));

  it('gives the result of work that ends in time', async () => {
    const { spend } = createTimeBudget(requests, failOnLate);
    assert.equal(await inRequest(() => spend(1_000, () => Promise.resolve(7))), 7);
    const failing = () => spend(1_000, () => Promise.reject(new Error('mine')));
    await assert.rejects(inRequest(failing), /mine/);
  });

  it('ends work that takes longer with unavailable, and hears of its failure', async () => {
    const failures: unknown[] = [];
    const { spend } = createTimeBudget(requests, (error) => failures.push(error));
    const fail = async () => {
      await wait(300);
      throw new Error('too late');
    };
    const late = inRequest(() => spend(20, fail));
    await assert.rejects(late, isUnavailable);
    await wait(150);
    assert.equal(String(failures[0]), 'Error: too late');
  });

  it('counts what earlier parts of the call have taken, and nothing between them', async () => {
    const { spend } = createTimeBudget(requests, failOnLate);
    await inRequest(async () => {
      const startedAt = performance.now();
      await spend(LONG_MS, () => wait(60));
      const tookMs = performance.now() - startedAt;
      const betweenMs = tookMs + 500;
      await wait(betweenMs);
      const left = await spend(LONG_MS, () => Promise.resolve(requests.remainingMs()));
      assert.ok(left > LONG_MS - betweenMs && left <= LONG_MS - 59, String(left));
    });
  });

  it('is not there for work outside a request and for an activity', async () => {
    assert.equal(requests.remainingMs(), Number.POSITIVE_INFINITY);
    assert.equal(inRequest(requests.remainingMs), Number.POSITIVE_INFINITY);
  });

  describe('of a server that takes a request and never answers', () => {
    withEnvironment({ AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' });
    let silent: Listener;
    before(async () => {
      silent = await startSilentServer();
    });
    after(() => silent.close());

    const within = async (ms: number, work: () => Promise<unknown>) =>
      await inRequest(async () => {
        requests.answerWithin(ms);
        const startedAt = performance.now();
        await work().finally(() => {
          const tookMs = performance.now() - startedAt;
          assert.ok(tookMs < PAUSE_MS, `${tookMs} ms`);
        });
      });

    const callStore = () => {
      const http = createStoreHttp({ deadline: requests });
      const location = { provider: 'aws', bucketName: 'b', region: 'r' } as const;
      const address = bucketAddress(location, endpointsAt({ aws: silent.origin }));
      const request = { address, method: 'GET', path: '/', headers: { host: 'a' } };
      const sent = sendBuffered(http, request, { timeoutMs: LONG_MS });
      return sent.finally(() => http.close());
    };
    const assumeRole = () => {
      const sts = { endpoint: silent.origin, region: 'us-east-1', timeoutMs: LONG_MS };
      return createAssumeRole(sts, requests)({ roleArn: 'arn:aws:iam::111122223333:role/r' });
    };
    const callTemporal = () => {
      const client = { withDeadline: (_at: number, call: () => unknown) => call() };
      return createBounded(client as never, requests)(LONG_MS, forever);
    };
    for (const [what, send, isEnded] of [
      ['a call to a store', callStore, isTimedOut],
      ['the assumption of a role', assumeRole, isTimedOut],
      ['a call to Temporal', callTemporal, isUnavailable],
    ] as const)
      for (const [when, ms] of [
        ['at the deadline', 50],
        ['at once after it', -1],
      ] as const)
        it(`ends ${what} ${when}`, () => assert.rejects(within(ms, send), isEnded));
  });
});
