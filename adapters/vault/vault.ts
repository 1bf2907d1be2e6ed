import type { SealedText } from '../../domain/account/account.ts';
import type { ProviderName } from '../../domain/provider/catalogue.ts';
import { createCipher, type CipherKey } from './cipher.ts';

/** The owner of a secret, used as associated data: the text opens for no other owner. */
export interface SecretOwner {
  readonly accountId: string;
  readonly provider: ProviderName;
}

export interface StoreCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The only place that converts between stored and plaintext credentials. */
export interface Vault {
  seal(credentials: StoreCredentials, owner: SecretOwner): SealedText;
  /** @throws Error for an unknown key, an altered text, or another owner. */
  open(sealed: SealedText, owner: SecretOwner): StoreCredentials;
  /** Whether the newest key sealed the text. */
  isCurrent(sealed: SealedText): boolean;
}

/** AES-256-GCM. The first key seals, every key opens; without a key it does neither. */
export function createVault(keys: readonly CipherKey[]): Vault {
  const [current] = keys;
  const cipher = createCipher(keys);

  return {
    seal(credentials, owner) {
      const plaintext = Buffer.from(JSON.stringify(credentials));
      const { keyId, nonce, ciphertext, tag } = cipher.seal(plaintext, associatedData(owner));
      return {
        keyId,
        nonce: toBase64(nonce),
        ciphertext: toBase64(ciphertext),
        tag: toBase64(tag),
      };
    },

    open({ keyId, nonce, ciphertext, tag }, owner) {
      const sealed = {
        keyId,
        nonce: fromBase64(nonce),
        ciphertext: fromBase64(ciphertext),
        tag: fromBase64(tag),
      };
      const text = cipher.open(sealed, associatedData(owner)).toString('utf8');
      return JSON.parse(text) as StoreCredentials;
    },

    isCurrent: (sealed) => sealed.keyId === current?.keyId,
  };
}

function associatedData(owner: SecretOwner): Buffer {
  return Buffer.from(JSON.stringify([owner.accountId, owner.provider]));
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64');
}
