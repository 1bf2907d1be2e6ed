import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SealedText } from '../../domain/account.ts';
import type { ProviderName } from '../../domain/catalogue.ts';

const ALGORITHM = 'aes-256-gcm';
/** NIST SP 800-38D section 8.2.2: 96 random bits, new for every message. */
const NONCE_BYTES = 12;

export interface VaultKey {
  readonly keyId: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

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
export function createVault(keys: readonly VaultKey[]): Vault {
  const [current] = keys;
  const byId = new Map(keys.map(({ keyId, key }) => [keyId, key]));

  return {
    seal(credentials, owner) {
      if (!current) throw new Error('there is no key to seal with');
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, current.key, nonce);
      cipher.setAAD(associatedData(owner));
      const ciphertext = Buffer.concat([
        cipher.update(JSON.stringify(credentials), 'utf8'),
        cipher.final(),
      ]);
      return {
        keyId: current.keyId,
        nonce: nonce.toString('base64'),
        ciphertext: ciphertext.toString('base64'),
        tag: cipher.getAuthTag().toString('base64'),
      };
    },

    open(sealed, owner) {
      const key = byId.get(sealed.keyId);
      if (!key) throw new Error(`credentials are sealed with the unknown key ${sealed.keyId}`);
      const decipher = createDecipheriv(ALGORITHM, key, Buffer.from(sealed.nonce, 'base64'), {
        authTagLength: 16,
      });
      decipher.setAAD(associatedData(owner));
      decipher.setAuthTag(Buffer.from(sealed.tag, 'base64'));
      const text = Buffer.concat([
        decipher.update(Buffer.from(sealed.ciphertext, 'base64')),
        decipher.final(),
      ]).toString('utf8');
      return JSON.parse(text) as StoreCredentials;
    },

    isCurrent: (sealed) => sealed.keyId === current?.keyId,
  };
}

function associatedData(owner: SecretOwner): Buffer {
  return Buffer.from(JSON.stringify([owner.accountId, owner.provider]));
}
