import type { FloorTarget } from './floor.ts';
import { requireBody } from './http.ts';
import { median, quantile, toRatios, repeat, runLoad } from './load.ts';
import { measureIdle, readCpu, subtract, untilQuiet } from './processor-time.ts';
import { list, say, short, showRatio } from './report.ts';
import type { ServiceTarget } from './targets.ts';

const CALLS = 60;
const SECONDS = 5;
const WARM_UP_SECONDS = 3;
const PARTS = 100;
const PART_BYTES = 8 * 2 ** 20;
const PARTS_CALLS = 100;

/** One caller on an otherwise idle machine. */
export async function timeCompleteAlone(
  ours: ServiceTarget,
  floor: FloorTarget,
  rounds: number,
): Promise<void> {
  const [oursMs, floorMs]: [number[], number[]] = [[], []];
  await floor.timeDirect(CALLS);
  // The first round warms the service up.
  for (let round = 0; round <= rounds; round += 1) {
    const files: string[] = [];
    await repeat(CALLS, async () => void files.push(await ours.seed()));
    await untilQuiet(ours.processes);
    const next = () => {
      const fileId = files.pop();
      return fileId === undefined ? undefined : () => ours.complete(fileId);
    };
    const { ms } = await runLoad({ callers: 1, seconds: SECONDS, expected: 200, next });
    await untilQuiet(ours.processes);
    const direct = await floor.timeDirect(CALLS);
    if (round === 0) continue;
    oursMs.push(quantile(ms, 0.5));
    floorMs.push(quantile(direct, 0.5));
  }
  say('');
  say('complete alone, one caller');
  say(
    `  p50: ours ${short(median(oursMs))} ms (${list(oursMs)}), ` +
      `a HEAD and three writes ${short(median(floorMs))} ms (${list(floorMs)}); ` +
      `ratio ${showRatio(toRatios(oursMs, floorMs))} (at most 3)`,
  );
}

/** The API's processor time of 100 parts' URLs in one call. */
export async function measureParts(ours: ServiceTarget, rounds: number): Promise<void> {
  say('');
  say(`URLs of ${PARTS} parts in one call`);
  const announced = await ours.post('/v1/upload/init', {
    fileName: 'large.bin',
    contentType: 'application/octet-stream',
    fileSizeBytes: PARTS * PART_BYTES,
    multipart: true,
  });
  const { fileId, multipart } =
    announced.status === 201
      ? (requireBody(announced, 201) as { fileId: string; multipart?: object })
      : { fileId: '', multipart: undefined };
  if (!multipart)
    return say(`  not available: init of a multipart upload answers ${announced.status}`);
  const api = ours.processes.filter(({ name }) => name === 'API');
  const partNumbers = Array.from({ length: PARTS }, (_, index) => index + 1);
  const ask = async () => {
    const { parts } = requireBody(
      await ours.post('/v1/upload/parts', { fileId, partNumbers }),
      200,
    ) as {
      parts: unknown[];
    };
    if (parts.length !== PARTS) throw new Error(`${parts.length} URLs instead of ${PARTS}`);
  };
  for (let call = 0; call < PARTS_CALLS; call += 1) await ask();
  const idle = await measureIdle(api, 2);
  const perCall: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    const before = readCpu(api);
    for (let call = 0; call < PARTS_CALLS; call += 1) await ask();
    const seconds = (performance.now() - startedAt) / 1000;
    const usedMs = subtract(readCpu(api), before)['API'] ?? 0;
    perCall.push((usedMs - (idle['API'] ?? 0) * seconds) / PARTS_CALLS);
  }
  say(`  CPU of the API: ${short(median(perCall))} ms (${list(perCall)}); at most 20`);
}

/** The API's processor time of `GET /v1/me`, and how long one caller waits for it. */
export async function measureMe(ours: ServiceTarget, rounds: number): Promise<void> {
  const api = ours.processes.filter(({ name }) => name === 'API');
  const run = (seconds: number) =>
    runLoad({ callers: 1, seconds, expected: 200, next: () => () => ours.get('/v1/me') });
  await run(WARM_UP_SECONDS);
  const idle = await measureIdle(api, 2);
  const [cpuMs, p50Ms]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const before = readCpu(api);
    const { calls, seconds, ms } = await run(SECONDS);
    const usedMs = subtract(readCpu(api), before)['API'] ?? 0;
    cpuMs.push((usedMs - (idle['API'] ?? 0) * seconds) / calls);
    p50Ms.push(quantile(ms, 0.5));
  }
  say('');
  say('GET /v1/me, one caller');
  say(`  CPU of the API: ${short(median(cpuMs))} ms (${list(cpuMs)}); at most 1`);
  say(`  p50: ${short(median(p50Ms))} ms (${list(p50Ms)})`);
}
