import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { ApplicationFailure, ValueError, type Payload } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import * as fc from 'fast-check';
import { createPayloadCodec, NO_KEYS } from '../../../adapters/temporal/payload-codec.ts';
import { failureConverter } from '../../../workflows/failure-converter.ts';

const key = (keyId: string) => ({ keyId, key: randomBytes(32) });
const codecOf = (...keys: ReturnType<typeof key>[]) => createPayloadCodec({ encrypts: true, keys });
const payloadOf = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const valueOf = ([payload]: Payload[]): unknown =>
  payload && defaultPayloadConverter.fromPayload(payload);
const textOf = (bytes: Uint8Array | null | undefined) =>
  Buffer.from(bytes ?? []).toString('latin1');

/**
 * What is encoded with which key, beside plain payloads too: `test/faults/payload-codec.test.ts` and
 * `test/integration/service/codec-endpoint.test.ts`.
 */
describe('the payload codec', () => {
  const [k1, k2] = [key('k1'), key('k2')];

  it('decodes what it encoded, for any value', async () => {
    const codec = codecOf(k1);
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const decoded = valueOf(await codec.decode(await codec.encode([payloadOf(value)])));
        assert.deepEqual(decoded, JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('refuses what does not open, and says which key it needs', async () => {
    const encoded = await codecOf(k1).encode([payloadOf('x')]);
    const fails = async (codec: ReturnType<typeof codecOf>, payloads: Payload[], message: RegExp) =>
      await assert.rejects(
        codec.decode(payloads),
        (error) => error instanceof ValueError && message.test(error.message),
      );
    await fails(codecOf(k2), encoded, /encrypted with the key "k1", which TEMPORAL_PAYLOAD_KEYS/);
    await fails(createPayloadCodec(NO_KEYS), encoded, /TEMPORAL_PAYLOAD_KEYS does not have/);
    await fails(codecOf(key('k1')), encoded, /does not open with the key "k1"/);
    const [first] = encoded;
    for (const length of [0, 1, 12, 27, 28]) {
      const data = first?.data?.subarray(0, length) ?? new Uint8Array();
      await fails(codecOf(k1), [{ ...first, data }], /does not open with the key "k1"/);
    }
  });
});

describe('the failure converter', () => {
  it('has message and stack in the payload that the codec encrypts, and restores them', () => {
    const failure = failureConverter.errorToFailure(
      ApplicationFailure.create({ message: 'the bucket photos is gone', type: 'no_bucket' }),
      defaultPayloadConverter,
    );
    assert.equal(failure.message, 'Encoded failure');
    assert.equal(failure.stackTrace, '');
    assert.ok(textOf(failure.encodedAttributes?.data).includes('the bucket photos is gone'));
    const restored = failureConverter.failureToError(failure, defaultPayloadConverter);
    assert.equal(restored.message, 'the bucket photos is gone');
  });
});
