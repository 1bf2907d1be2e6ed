import assert from 'node:assert/strict';
import { readConnectionOptions } from '../../../adapters/temporal/open.ts';

describe('the connection to Temporal', () => {
  const read = (env: Record<string, string>) => {
    const { apiKey, tls } = readConnectionOptions(env) ?? {};
    return [apiKey, tls];
  };

  it('has TLS and an API key by Temporal’s own variables, of which an empty one counts as unset', () => {
    assert.deepEqual(read({ TEMPORAL_API_KEY: '', TEMPORAL_TLS: '' }), [undefined, undefined]);
    assert.deepEqual(read({ TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: '' }), ['key', true]);
    const [, tls] = read({ TEMPORAL_API_KEY: '', TEMPORAL_TLS: 'true' });
    assert.ok(tls);
  });
});
