import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { BSON } from 'mongodb';
import { toFailure } from '../../../activities/common/failures.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import { AppError } from '../../../domain/common/errors.ts';
import { MigrationDelay, MigrationStop } from '../../../domain/migration/stop.ts';

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

describe('the failure of an activity', () => {
  const mistakes: [string, () => unknown][] = [
    ['a property of undefined', () => missing.list.length],
    ['a call of what is no function', () => missing.list.map(String)],
    ['an invalid date', () => new Date(missing.date).toISOString()],
    [
      'an endless recursion',
      () =>
        (function again(): number {
          return 1 + again();
        })(),
    ],
    ['text that is no JSON', () => JSON.parse('{')],
    ['an unknown name', () => Promise.reject(new ReferenceError('unknownName is not defined'))],
    ['a failed assertion', () => assert.equal(1, 2)],
    ['a wrong argument for Node', () => Buffer.from(missing.date)],
  ];
  for (const [name, work] of mistakes)
    it(`is a defect for ${name}`, async () => {
      const { type, nonRetryable, message } = toFailure(await thrownBy(work));
      assert.equal(type, 'defect');
      // The retry policy decides: what must reach an end is repeated.
      assert.equal(nonRetryable, false);
      assert.equal(message, 'Something went wrong; the log of the worker says what.');
    });

  it('is no defect where fetch cannot connect, or the answer is cut', async () => {
    const server = createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const cut = await thrownBy(async () => (await fetch(url)).text());
    server.close();
    await once(server, 'close');
    const refused = await thrownBy(() => fetch(url));
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
    const typeOf = (error: unknown) => toFailure(error).type;
    assert.equal(typeOf(new AppError('role_not_assumable')), 'role_not_assumable');
    assert.equal(typeOf(new StoreError('throttled', new TypeError('x'))), 'throttled');
    assert.equal(typeOf(new MigrationDelay('m', undefined)), 'provider_unavailable');
    assert.equal(typeOf(new MigrationStop('quote_exceeded', 'm')), 'quote_exceeded');
    assert.equal(typeOf(new Error('no page')), 'internal_error');
  });
});
