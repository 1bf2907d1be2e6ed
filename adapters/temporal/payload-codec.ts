import { fileURLToPath } from 'node:url';
import {
  ValueError,
  type DataConverter,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import proto from '@temporalio/proto';
import {
  createCipher,
  NONCE_BYTES,
  TAG_BYTES,
  UnknownKeyError,
  type CipherKey,
} from '../vault/cipher.ts';

/** The keys of the payloads that Temporal stores. */
export interface PayloadKeys {
  /** Whether new payloads are encrypted, with the first key. */
  readonly encrypts: boolean;
  /** Each of them decrypts. */
  readonly keys: readonly CipherKey[];
}

/** Payloads are plain. */
export const NO_KEYS: PayloadKeys = { encrypts: false, keys: [] };

/** The form that Temporal's own samples use: UI and CLI recognise it. */
const ENCODING = 'encoding';
const ENCRYPTED = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
/** A payload opens as nothing else, also if another purpose uses the same key. */
const PURPOSE = Buffer.from('temporal-payload');

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/**
 * Encrypts payloads with AES-256-GCM, metadata included. A plain payload is decoded as it is, so
 * that runs that began without a key continue.
 *
 * @throws ValueError from `decode`, for a payload that none of the keys decrypts
 */
export function createPayloadCodec({ encrypts, keys }: PayloadKeys): PayloadCodec {
  const cipher = createCipher(keys);

  function encrypt(payload: Payload): Payload {
    const { keyId, ...sealed } = cipher.seal(PayloadMessage.encode(payload).finish(), PURPOSE);
    return {
      metadata: { [ENCODING]: Buffer.from(ENCRYPTED), [KEY_ID]: Buffer.from(keyId) },
      data: Buffer.concat([sealed.nonce, sealed.ciphertext, sealed.tag]),
    };
  }

  function decrypt(payload: Payload): Payload {
    const keyId = readText(payload, KEY_ID);
    const data = payload.data ?? new Uint8Array();
    const sealed = {
      keyId,
      nonce: data.subarray(0, NONCE_BYTES),
      ciphertext: data.subarray(NONCE_BYTES, -TAG_BYTES),
      tag: data.subarray(-TAG_BYTES),
    };
    try {
      return PayloadMessage.decode(cipher.open(sealed, PURPOSE));
    } catch (cause) {
      throw new ValueError(explain(cause, keyId), cause);
    }
  }

  return {
    encode: (payloads) => Promise.resolve(encrypts ? payloads.map(encrypt) : payloads),
    // An error must reject.
    decode: async (payloads) =>
      payloads.map((payload) =>
        readText(payload, ENCODING) === ENCRYPTED ? decrypt(payload) : payload,
      ),
  };
}

function explain(cause: unknown, keyId: string): string {
  return cause instanceof UnknownKeyError
    ? `The payload is encrypted with the key "${keyId}", which TEMPORAL_PAYLOAD_KEYS does not have.`
    : `The payload does not open with the key "${keyId}": it was altered, or the key was another one.`;
}

function readText({ metadata }: Payload, name: string): string {
  const bytes = metadata?.[name];
  return bytes ? Buffer.from(bytes).toString('utf8') : '';
}

const EXTENSION = import.meta.filename.endsWith('.ts') ? 'ts' : 'js';

/** The module that makes messages and stacks of failures part of a payload. */
export const FAILURE_CONVERTER = fileURLToPath(
  new URL(`../../workflows/failure-converter.${EXTENSION}`, import.meta.url),
);

/** How clients and workers convert what Temporal stores. */
export function createDataConverter(codec: PayloadCodec, encrypts: boolean): DataConverter {
  return {
    payloadCodecs: [codec],
    // Without encryption the UI would show no message.
    ...(encrypts ? { failureConverterPath: FAILURE_CONVERTER } : {}),
  };
}
