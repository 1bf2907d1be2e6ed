import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Long, MongoClient, type Collection, type Db } from 'mongodb';
import { createCache } from '../../../dev/system/cache.ts';
import { takeFreePort } from '../../../dev/system/ports.ts';
import {
  createProcesses,
  type ProcessHandle,
  type Processes,
} from '../../../dev/system/processes.ts';
import { createProgress } from '../../../dev/system/progress.ts';
import { mongoProcess } from '../../../dev/services/mongodb.ts';
import { findProgram } from '../../../dev/services/service.ts';
import { services } from '../../../dev/services/services.ts';
import { isGone } from './fixtures/run.ts';

interface Row {
  _id: string;
  account?: string;
  at?: number;
  status?: string;
  apiKey?: { hash: string };
  bytes?: Long;
  count?: number;
  claimant?: number;
  left?: number;
  right?: number;
}

for (const persistent of [false, true]) {
  describe(`the double of MongoDB ${persistent ? 'on disk' : 'in memory'}`, () => {
    let processes: Processes;
    let server: ProcessHandle;
    let client: MongoClient;
    let database: Db;
    let rows: Collection<Row>;

    before(async () => {
      const progress = createProgress();
      processes = createProcesses((text) => progress.say(text));
      const program = await findProgram(services.mongoDouble, {
        progress,
        cache: createCache(progress),
      });
      const port = await takeFreePort();
      const dataFolder = join(processes.dataFolder, 'mongodb');
      await mkdir(dataFolder);
      server = await processes.start(mongoProcess(program, { port, dataFolder, persistent }));
      client = await new MongoClient(`mongodb://127.0.0.1:${port}`, {
        writeConcern: { w: 'majority' },
        serverSelectionTimeoutMS: 1_000,
      }).connect();
      database = client.db('double');
    });
    after(async () => {
      await client.close();
      await processes.stopAll();
    });
    beforeEach(async () => {
      rows = database.collection(`rows-${crypto.randomUUID()}`);
      await rows.insertMany([
        { _id: 'a', account: 'one', at: 1, status: 'open' },
        { _id: 'b', account: 'one', at: 2, status: 'open' },
        { _id: 'c', account: 'two', at: 3, status: 'open' },
      ]);
    });

    it('refuses a second row of a unique index, by insert and by update', async () => {
      await rows.createIndex({ account: 1, at: 1 }, { unique: true });
      await assert.rejects(rows.insertOne({ _id: 'a' }), { code: 11000 });
      await assert.rejects(rows.insertOne({ _id: 'd', account: 'one', at: 1 }), { code: 11000 });
      await assert.rejects(rows.updateOne({ _id: 'b' }, { $set: { at: 1 } }), { code: 11000 });
    });

    it('lets any number of rows be absent from a sparse unique index on a nested field', async () => {
      await rows.createIndex({ 'apiKey.hash': 1 }, { unique: true, sparse: true });
      await rows.updateOne({ _id: 'a' }, { $set: { apiKey: { hash: 'x' } } });
      await assert.rejects(rows.updateOne({ _id: 'b' }, { $set: { apiKey: { hash: 'x' } } }), {
        code: 11000,
      });
      assert.equal((await rows.findOne({ 'apiKey.hash': 'x' }))?._id, 'a');
      await rows.updateOne({ _id: 'a' }, { $set: { apiKey: { hash: 'y' } } });
      assert.equal(await rows.findOne({ 'apiKey.hash': 'x' }), null);
      await rows.updateOne({ _id: 'b' }, { $set: { apiKey: { hash: 'x' } } });
    });

    it('finds by _id and by an indexed field, with more in the filter, sorted and limited', async () => {
      await rows.createIndex({ account: 1, at: -1 });
      assert.equal((await rows.findOne({ _id: 'a', status: 'open' }))?.at, 1);
      assert.equal(await rows.findOne({ _id: 'a', status: 'closed' }), null);
      const latest = await rows
        .find({ account: 'one', status: 'open' })
        .sort({ at: -1 })
        .limit(1)
        .toArray();
      assert.deepEqual(
        latest.map(({ _id }) => _id),
        ['b'],
      );
      await rows.updateOne({ _id: 'b' }, { $set: { account: 'two' } });
      await rows.deleteOne({ _id: 'c' });
      assert.deepEqual(await rows.distinct('_id', { account: 'two' }), ['b']);
      assert.equal(await rows.countDocuments({ account: 'one' }), 1);
    });

    it('adds 64-bit integers exactly', async () => {
      const bytes = Long.fromString('9007199254740993');
      await rows.updateOne({ _id: 'a' }, { $inc: { bytes } });
      const row = await rows.findOneAndUpdate(
        { _id: 'a' },
        { $inc: { bytes: new Long(2) } },
        {
          returnDocument: 'after',
          promoteLongs: false,
        },
      );
      assert.equal(String(row?.bytes), '9007199254740995');
    });

    it('groups and sums', async () => {
      const stages = [
        { $match: { account: 'one' } },
        { $group: { _id: '$account', sum: { $sum: '$at' }, n: { $sum: 1 } } },
      ];
      assert.deepEqual(await rows.aggregate(stages).toArray(), [{ _id: 'one', sum: 3, n: 2 }]);
    });

    it('answers each of many findOneAndUpdate with its own change', async () => {
      const answers = await Promise.all(
        Array.from(
          { length: 100 },
          async () =>
            await rows.findOneAndUpdate(
              { _id: 'a' },
              { $inc: { count: 1 } },
              { returnDocument: 'after' },
            ),
        ),
      );
      assert.equal(new Set(answers.map((row) => row?.count)).size, 100);
      assert.equal((await rows.findOne({ _id: 'a' }))?.count, 100);
    });

    it('gives a contested row to exactly one writer', async () => {
      const claims = await Promise.all(
        Array.from(
          { length: 200 },
          async (_, claimant) =>
            await rows.updateOne(
              { _id: 'a', status: 'open' },
              { $set: { status: 'taken', claimant } },
            ),
        ),
      );
      assert.equal(claims.filter(({ modifiedCount }) => modifiedCount === 1).length, 1);
    });

    it('never shows half a change to a reader', async () => {
      await rows.updateOne({ _id: 'a' }, { $set: { left: 0, right: 0 } });
      const write = async () => {
        for (let turn = 1; turn <= 200; turn += 1) {
          await rows.updateOne(
            { _id: 'a' },
            { $set: { left: turn, right: turn, [`field${turn}`]: turn } },
          );
        }
      };
      const read = async () => {
        for (let turn = 0; turn < 200; turn += 1) {
          const row = await rows.findOne({ _id: 'a' });
          assert.equal(row?.left, row?.right);
        }
      };
      await Promise.all([write(), read(), read()]);
    });

    if (persistent) {
      it('loses nothing that it acknowledged, when it is killed', async () => {
        await rows.createIndex({ 'apiKey.hash': 1 }, { unique: true, sparse: true });
        const inserts = Array.from(
          { length: 200 },
          async (_, index) =>
            await rows.insertOne({ _id: `row${index}`, apiKey: { hash: String(index) } }),
        );
        const settled = Promise.allSettled(inserts);
        await inserts[20];
        await server.kill('SIGKILL');
        const acknowledged = (await settled).flatMap((each) =>
          each.status === 'fulfilled' ? [each.value.insertedId] : [],
        );
        await server.restart();
        const found = new Set((await rows.find().toArray()).map(({ _id }) => _id));
        assert.ok(acknowledged.length > 0);
        for (const id of acknowledged) assert.ok(found.has(id), id);
        // Acknowledged rows only: the others may be lost, and their hashes free.
        const hash = String(acknowledged[0]).replace('row', '');
        await assert.rejects(rows.insertOne({ _id: 'twice', apiKey: { hash } }), {
          code: 11000,
        });
      });
    } else {
      it('ends when its input closes', async () => {
        const program = await findProgram(services.mongoDouble, {
          progress: createProgress(() => {}),
          cache: createCache(createProgress(() => {})),
        });
        const port = await takeFreePort();
        const child = spawn(program.command, [...program.args, '127.0.0.1', String(port)], {
          stdio: ['pipe', 'pipe', 'ignore'],
          detached: true,
        });
        const said = await new Promise<string>((resolve) =>
          child.stdout.once('data', (text: Buffer) => resolve(text.toString())),
        );
        assert.equal(said.trim(), String(port));
        child.stdin.end();
        assert.ok(await isGone(child.pid ?? 0));
      });
    }
  });
}
