import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
/** NIST SP 800-38D section 8.2.2: 96 random bits, new for every message. */
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

export interface CipherKey {
  readonly keyId: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

export interface SealedBytes {
  readonly keyId: string;
  readonly nonce: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly tag: Uint8Array;
}

export class UnknownKeyError extends Error {
  override readonly name = 'UnknownKeyError';
  readonly keyId: string;

  constructor(keyId: string) {
    super(`sealed with the unknown key ${keyId}`);
    this.keyId = keyId;
  }
}

export function createCipher(keys: readonly CipherKey[]) {
  const [current] = keys;
  const byId = new Map(keys.map(({ keyId, key }) => [keyId, key]));

  return {
    /** @throws Error without a key */
    seal(plaintext: Uint8Array, associatedData: Uint8Array): SealedBytes {
      if (!current) throw new Error('there is no key to seal with');
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, current.key, nonce);
      cipher.setAAD(associatedData);
      const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      return { keyId: current.keyId, nonce, ciphertext, tag: cipher.getAuthTag() };
    },

    /** @throws UnknownKeyError; Error for an altered text, another key or other associated data */
    open({ keyId, nonce, ciphertext, tag }: SealedBytes, associatedData: Uint8Array): Buffer {
      const key = byId.get(keyId);
      if (!key) throw new UnknownKeyError(keyId);
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(associatedData);
      decipher.setAuthTag(tag);
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    },
  };
}
