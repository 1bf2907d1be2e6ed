import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readWorkerConfig } from '../../config/worker.ts';
import { complaintOf, type Environment, KEY, problemsOf, REQUIRED } from './config-problems.ts';

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
  const ofWorker = (env: Environment) => problemsOf(env, readWorkerConfig);
  const { MONGODB_URI, CREDENTIAL_KEYS } = REQUIRED;
  const plain = { MONGODB_URI, CREDENTIAL_KEYS };

  it('are read without a line end', () => {
    for (const end of ['', '\n', '\r\n']) {
      const { mongo, credentialKeys } = readWorkerConfig({
        MONGODB_URI_FILE: fileOf(MONGODB_URI + end),
        CREDENTIAL_KEYS_FILE: fileOf(CREDENTIAL_KEYS + end),
      });
      assert.equal(mongo.uri, MONGODB_URI);
      assert.deepEqual(credentialKeys, [{ keyId: 'k1', key: KEY }]);
    }
  });

  it('count as unset where the file or its path is empty', () => {
    const empties = { MONGODB_URI_FILE: '', CREDENTIAL_KEYS_FILE: fileOf('\n') };
    const { credentialKeys } = readWorkerConfig({ ...plain, ...empties });
    assert.deepEqual(credentialKeys, [{ keyId: 'k1', key: KEY }]);
    const required = ['MONGODB_URI is required', 'CREDENTIAL_KEYS is required'];
    assert.deepEqual(ofWorker({ ...empties }), required);
  });

  it('are refused where the variable itself is set as well, and where they cannot be read', () => {
    const both = ofWorker({ ...plain, MONGODB_URI_FILE: fileOf(MONGODB_URI) });
    assert.deepEqual(both, ['MONGODB_URI_FILE must not be set together with MONGODB_URI']);
    const absent = { MONGODB_URI_FILE: join(folder, 'absent'), CREDENTIAL_KEYS_FILE: folder };
    assert.deepEqual(ofWorker(absent), [
      'MONGODB_URI_FILE must be the path of a file that can be read (ENOENT)',
      'CREDENTIAL_KEYS_FILE must be the path of a file that can be read (EISDIR)',
    ]);
  });

  it('are validated like values, and never shown', () => {
    const secret = randomBytes(40).toString('base64');
    const env = {
      MONGODB_URI_FILE: fileOf(`mysql://user:${secret}@db`),
      // The value in place of the path, a likely mistake.
      CREDENTIAL_KEYS_FILE: `k1:${secret}`,
    };
    const message = complaintOf(env, readWorkerConfig);
    assert.match(message, /MONGODB_URI must be a mongodb:/);
    assert.match(message, /CREDENTIAL_KEYS_FILE must be the path/);
    assert.ok(!message.includes(secret.slice(0, 12)));
  });

  it('are the only variables that can be files', () => {
    const env = { ...plain, JWT_ISSUER: 'https://id.example', JWT_AUDIENCE_FILE: fileOf('x') };
    assert.deepEqual(problemsOf(env), ['JWT_AUDIENCE is required']);
  });
});
