import assert from 'node:assert/strict';
import { MongoError, MongoNetworkError, MongoServerError } from 'mongodb';
import { isMongoOutage } from '../../../adapters/mongo/common/open.ts';

const withCode = (code: string) => Object.assign(new Error('This socket has been ended'), { code });

describe('the database being away', () => {
  const states = [91, 189, 10107, 11600, 11602, 13435, 13436];
  for (const [what, ...errors] of [
    ['a connection that is lost', new MongoNetworkError('connection 3 closed')],
    // Seen of driver 7.8 where the server is killed while calls are made.
    ['a write to a socket that has just ended', withCode('EPIPE'), withCode('ECONNRESET')],
    [
      'a server that changes its state',
      ...states.map((code) => new MongoServerError({ message: 'not primary', code })),
    ],
  ] satisfies [string, ...Error[]][])
    it(`is told from ${what}`, () => assert.ok(errors.every(isMongoOutage)));

  for (const [what, error] of Object.entries({
    'a duplicate': new MongoServerError({ message: 'E11000', code: 11000 }),
    'a command that it does not know': new MongoError('no such command'),
    'a defect of ours': new TypeError('undefined is not a function'),
    'a file that is not there': withCode('ENOENT'),
    nothing: undefined,
  }))
    it(`is not told from ${what}`, () => assert.ok(!isMongoOutage(error)));
});
