import assert from 'node:assert/strict';
import { createHealthCheck } from '../../../adapters/telemetry/health.ts';

describe('the health of the service', () => {
  it('asks each dependency once a second, for any number of callers', async () => {
    let atMs = 0;
    const asked = { mongodb: 0, temporal: 0 };
    let isUp = true;
    const dependency = (name: keyof typeof asked) => ({
      ping: () => {
        asked[name] += 1;
        return isUp ? Promise.resolve() : Promise.reject(new Error('down'));
      },
    });
    const deps = { mongodb: dependency('mongodb'), temporal: dependency('temporal') };
    const check = createHealthCheck(deps, () => atMs);
    const statuses = async () =>
      (await Promise.all([check(), check(), check()])).map(({ status }) => status);

    assert.deepEqual(await statuses(), ['ok', 'ok', 'ok']);
    isUp = false;
    atMs = 999;
    assert.deepEqual(await statuses(), ['ok', 'ok', 'ok']);
    assert.deepEqual(asked, { mongodb: 1, temporal: 1 });
    atMs = 1_000;
    assert.deepEqual(await statuses(), ['degraded', 'degraded', 'degraded']);
    assert.deepEqual(asked, { mongodb: 2, temporal: 2 });
  });
});
