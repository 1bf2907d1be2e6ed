import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSoon } from '../../../dev/system/probes.ts';
import { createClient, type StorageRoutingClient } from '../../../sdk/src/index.ts';
import { newCustomer } from '../customers.ts';
import { localService } from '../../servers.ts';
import { buildCommandLine, type CommandLine, commandLineIn, type Ran } from './command-line.ts';

const MIB = 1024 * 1024;
const SIZE_MIB = 200;
const PARTS = SIZE_MIB / 8;

describe('srs put of 200 MiB', () => {
  let folder: string;
  let srs: CommandLine;
  let client: StorageRoutingClient;
  let sha256: string;
  const name = 'large file.bin';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'srs-resume-'));
    const [{ baseUrl }] = await Promise.all([localService(), buildCommandLine()]);
    const { apiKey } = await newCustomer('r2');
    client = createClient({ baseUrl, apiKey });
    srs = commandLineIn(folder, { SRS_BASE_URL: baseUrl, SRS_API_KEY: apiKey });
    const hash = createHash('sha256');
    for (let written = 0; written < SIZE_MIB; written += 8) {
      const block = randomBytes(8 * MIB);
      hash.update(block);
      await appendFile(join(folder, name), block);
    }
    sha256 = hash.digest('hex');
  });
  after(() => rm(folder, { recursive: true }));

  async function heldParts(fileId: string): Promise<number> {
    let held = 0;
    for await (const part of client.listParts(fileId)) held += Number(part.sizeBytes === 8 * MIB);
    return held;
  }

  /** Starts an upload, and sends it the signal once some parts are at the store. */
  async function interrupt(signal: NodeJS.Signals): Promise<{ fileId: string; ran: Ran }> {
    const running = srs.start(['put', '--parts', '2', name]);
    running.stdin.end();
    let fileId = '';
    const isUnderWay = await isSoon(
      async () => {
        fileId = /--resume (\S+) /.exec(running.stderr())?.[1] ?? '';
        return fileId !== '' && (await heldParts(fileId)) >= 3;
      },
      { withinMs: 60_000, everyMs: 20 },
    );
    assert.ok(isUnderWay, running.stderr());
    running.kill(signal);
    return { fileId, ran: await running.ended };
  }

  /** The command that the program has printed last, without its own name. */
  function printedCommand({ stderr }: Ran): string[] {
    const [, fileId = '', path = ''] =
      /srs put --resume (\S+) '(.+)'\n$/.exec(stderr) ?? assert.fail(stderr);
    return ['put', '--resume', fileId, path];
  }

  async function requireWhole(ran: Ran, fileId: string): Promise<void> {
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.ok(ran.stdout.toString().startsWith(fileId), ran.stdout.toString());
    assert.equal((await srs.run(['get', fileId, '-o', 'back.bin', '--force'])).exitCode, 0);
    const back = await readFile(join(folder, 'back.bin'));
    assert.equal(createHash('sha256').update(back).digest('hex'), sha256);
    assert.equal((await srs.run(['rm', fileId])).exitCode, 0);
  }

  // The local edge store keeps a part that was cut off at its full size, filled with zeros, which S3 does not: the
  // client finds it by its MD5.
  it('goes on after kill -9 in the middle, by the command printed at its start', async () => {
    const { fileId, ran } = await interrupt('SIGKILL');
    assert.equal(ran.exitCode, null);
    const held = await heldParts(fileId);
    assert.ok(held >= 3 && held < PARTS, `${held} of ${PARTS} parts`);
    await requireWhole(await srs.run(printedCommand(ran)), fileId);
  });

  it('says after Ctrl-C how to go on, and does not with a file that was modified since', async () => {
    const { fileId, ran } = await interrupt('SIGINT');
    assert.equal(ran.exitCode, 130);
    assert.match(ran.stderr, /\nto continue: srs put --resume \S+ 'large file\.bin'\n$/);
    const later = new Date(Date.now() + 120_000);
    await utimes(join(folder, name), later, later);
    const refused = await srs.run([...printedCommand(ran), '--json']);
    assert.deepEqual([refused.exitCode, refused.failure()['code']], [1, 'source_changed']);
    const accepted = await srs.run([...printedCommand(ran), '--accept-modified']);
    await requireWhole(accepted, fileId);
  });
});
