import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readApiConfig } from '../../config/api.ts';
import { ConfigError } from '../../config/environment.ts';
import { readWorkerConfig } from '../../config/worker.ts';

const KEY = randomBytes(32);
const PLAIN = {
  MONGODB_URI: 'mongodb://db.example:27017',
  CREDENTIAL_KEYS: `k1:${KEY.toString('base64')}`,
};

describe('secrets in files', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const fileOf = (content: string): string => {
    const file = join(folder, randomBytes(6).toString('hex'));
    writeFileSync(file, content);
    return file;
  };
  const complaintOf = (env: Record<string, string>): string => {
    try {
      readWorkerConfig(env);
    } catch (error) {
      assert.ok(error instanceof ConfigError, String(error));
      return error.message;
    }
    return assert.fail('the environment was accepted');
  };
  const problemsOf = (env: Record<string, string>) =>
    complaintOf(env)
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/^ {2}- /, ''));

  for (const [what, end] of Object.entries({
    nothing: '',
    'a newline': '\n',
    'CR and LF': '\r\n',
  })) {
    it(`are read without ${what} at the end`, () => {
      const { mongo, credentialKeys } = readWorkerConfig({
        MONGODB_URI_FILE: fileOf(PLAIN.MONGODB_URI + end),
        CREDENTIAL_KEYS_FILE: fileOf(PLAIN.CREDENTIAL_KEYS + end),
      });
      assert.equal(mongo.uri, PLAIN.MONGODB_URI);
      assert.deepEqual(credentialKeys, [{ keyId: 'k1', key: KEY }]);
    });
  }

  it('count as unset where the file or its path is empty', () => {
    const empties = { MONGODB_URI_FILE: '', CREDENTIAL_KEYS_FILE: fileOf('\n') };
    assert.deepEqual(readWorkerConfig({ ...PLAIN, ...empties }).credentialKeys, [
      { keyId: 'k1', key: KEY },
    ]);
    assert.deepEqual(problemsOf({ ...empties }), [
      'MONGODB_URI is required',
      'CREDENTIAL_KEYS is required',
    ]);
  });

  it('are refused where the variable itself is set as well', () => {
    assert.deepEqual(problemsOf({ ...PLAIN, MONGODB_URI_FILE: fileOf(PLAIN.MONGODB_URI) }), [
      'MONGODB_URI_FILE must not be set together with MONGODB_URI',
    ]);
  });

  it('name the file that cannot be read, once', () => {
    assert.deepEqual(
      problemsOf({ MONGODB_URI_FILE: join(folder, 'absent'), CREDENTIAL_KEYS_FILE: folder }),
      [
        'MONGODB_URI_FILE must be the path of a file that can be read (ENOENT)',
        'CREDENTIAL_KEYS_FILE must be the path of a file that can be read (EISDIR)',
      ],
    );
  });

  it('are validated like values, and never shown', () => {
    const secret = randomBytes(40).toString('base64');
    const message = complaintOf({
      MONGODB_URI_FILE: fileOf(`mysql://user:${secret}@db`),
      // The value in place of the path, a likely mistake.
      CREDENTIAL_KEYS_FILE: `k1:${secret}`,
    });
    assert.match(message, /MONGODB_URI must be a mongodb:/);
    assert.match(message, /CREDENTIAL_KEYS_FILE must be the path/);
    assert.ok(!message.includes(secret.slice(0, 12)));
  });

  it('are the only variables that can be files', () => {
    const env = { ...PLAIN, JWT_ISSUER: 'https://id.example', JWT_AUDIENCE_FILE: fileOf('x') };
    assert.throws(() => readApiConfig(env), /JWT_AUDIENCE is required/);
  });
});
