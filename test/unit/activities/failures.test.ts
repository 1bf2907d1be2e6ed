import assert from 'node:assert/strict';
import { BSON } from 'mongodb';
import { toFailure } from '../../../activities/common/failures.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import { listen } from '../../contract/connections.ts';
import { AppError } from '../../../domain/common/errors.ts';
import { MigrationDelayError, MigrationStopError } from '../../../domain/migrations/stop.ts';

/** What the work throws. */
async function thrownBy(work: () => unknown): Promise<Error> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof Error);
    return error;
  }
  return assert.fail('nothing was thrown');
}

const missing = JSON.parse('{}') as { list: string[]; date: string };

function again(): number {
  return 1 + again();
}

describe('the failure of an activity', () => {
  const mistakes: [string, () => unknown][] = [
    ['a property of undefined', () => missing.list.length],
    ['a call of what is no function', () => missing.list.map(String)],
    ['an invalid date', () => new Date(missing.date).toISOString()],
    ['an endless recursion', again],
    ['text that is no JSON', () => JSON.parse('{')],
    ['an unknown name', () => Promise.reject(new ReferenceError('unknownName is not defined'))],
    ['a failed assertion', () => assert.equal(1, 2)],
    ['a wrong argument for Node', () => Buffer.from(missing.date)],
  ];
  it('is a defect for each mistake of a program', async () => {
    const said = 'Something went wrong; the log of the worker says what.';
    for (const [name, work] of mistakes) {
      const { type, nonRetryable, message } = toFailure(await thrownBy(work));
      // The retry policy decides: what must reach an end is repeated.
      assert.deepEqual([type, nonRetryable, message], ['defect', false, said], name);
    }
  });

  it('is no defect where fetch cannot connect, or the answer is cut', async () => {
    const server = await listen((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'));
    });
    const cut = await thrownBy(async () => (await fetch(server.origin)).text());
    await server.close();
    const refused = await thrownBy(() => fetch(server.origin));
    for (const error of [cut, refused]) {
      assert.ok(error instanceof TypeError, String(error));
      assert.equal(toFailure(error).type, 'internal_error', error.message);
    }
  });

  it('is no defect where a library raises it', async () => {
    const error = await thrownBy(() => BSON.deserialize({} as Uint8Array));
    const inLibrary = Object.assign(new TypeError('x'), { stack: error.stack });
    assert.match(error.stack ?? '', /node_modules\/bson/);
    assert.equal(toFailure(inLibrary).type, 'internal_error');
  });

  it('keeps the code of an error that has one', () => {
    for (const [error, type] of [
      [new AppError('role_not_assumable'), 'role_not_assumable'],
      [new StoreError('throttled', new TypeError('x')), 'throttled'],
      [new MigrationDelayError('m', undefined), 'provider_unavailable'],
      [new MigrationStopError('quote_exceeded', 'm'), 'quote_exceeded'],
      [new Error('no page'), 'internal_error'],
    ] as const)
      assert.equal(toFailure(error).type, type);
  });
});
