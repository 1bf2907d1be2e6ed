import assert from 'node:assert/strict';
import { createClientTypes, readClientTypes } from '../../../dev/client-types.ts';

describe('the types of the client library', () => {
  it('are those of the description that the service serves (npm run sdk:types writes them)', async () => {
    assert.equal(await readClientTypes(), await createClientTypes());
  });
});
