import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readApiConfig } from '../../config/api.ts';
import { ConfigError } from '../../config/environment.ts';

export type Environment = Record<string, string>;

export const KEY = randomBytes(32);
export const REQUIRED = {
  MONGODB_URI: 'mongodb://db.example:27017',
  JWT_ISSUER: 'https://id.example',
  JWT_AUDIENCE: 'https://api.example',
  CREDENTIAL_KEYS: `k1:${KEY.toString('base64')}`,
};

type Read = (env: Environment) => unknown;

/** The error message with which the environment is refused. */
export function complaintOf(env: Environment, read: Read = readApiConfig): string {
  try {
    read(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  return assert.fail('the environment was accepted');
}

/** The lines of the error message, each of which names a variable. */
export const problemsOf = (env: Environment, read?: Read) =>
  complaintOf(env, read)
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^ {2}- /, ''));
