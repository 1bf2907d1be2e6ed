import type { SealedText } from '../../domain/accounts/account.ts';
import type { ProviderName } from '../../domain/providers/catalogue.ts';
import { AppError } from '../../domain/common/errors.ts';
import { createCipher, UnknownKeyError, type CipherKey } from './cipher.ts';

/** The owner of a secret, used as associated data: the text opens for no other owner. */
export interface SecretOwner {
  readonly accountId: string;
  readonly provider: ProviderName;
}

export interface StoreCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The owner of a webhook's secret. */
export interface WebhookOwner {
  readonly accountId: string;
  readonly webhookId: string;
}

/** The only place that converts between stored and plaintext secrets. */
export type Vault = ReturnType<typeof createVault>;

/** AES-256-GCM. The first key seals, every key opens; without a key it does neither. */
export function createVault(keys: readonly CipherKey[]) {
  const [current] = keys;
  const cipher = createCipher(keys);

  function sealText(plaintext: string, associatedData: Buffer): SealedText {
    const sealed = cipher.seal(Buffer.from(plaintext), associatedData);
    return {
      keyId: sealed.keyId,
      nonce: toBase64(sealed.nonce),
      ciphertext: toBase64(sealed.ciphertext),
      tag: toBase64(sealed.tag),
    };
  }
  function openText(sealed: SealedText, associatedData: Buffer): string {
    const { keyId, nonce, ciphertext, tag } = sealed;
    const bytes = {
      keyId,
      nonce: fromBase64(nonce),
      ciphertext: fromBase64(ciphertext),
      tag: fromBase64(tag),
    };
    try {
      return cipher.open(bytes, associatedData).toString('utf8');
    } catch (error) {
      throw error instanceof UnknownKeyError ? lacksKey(error) : error;
    }
  }

  return {
    seal: (credentials: StoreCredentials, owner: SecretOwner) =>
      sealText(JSON.stringify(credentials), ofStore(owner)),
    /** @throws AppError `unavailable` for an unknown key; Error for another text or owner */
    open: (sealed: SealedText, owner: SecretOwner) =>
      JSON.parse(openText(sealed, ofStore(owner))) as StoreCredentials,
    sealSecret: (secret: string, owner: WebhookOwner) => sealText(secret, ofWebhook(owner)),
    /** @throws as `open` */
    openSecret: (sealed: SealedText, owner: WebhookOwner) => openText(sealed, ofWebhook(owner)),
    /** Whether the newest key sealed the text. */
    isCurrent: (sealed: SealedText) => sealed.keyId === current?.keyId,
  };
}

/** Another process seals with a key that this one lacks yet. The cause is for the log. */
function lacksKey({ keyId }: UnknownKeyError): AppError {
  const cause = new Error(
    `CREDENTIAL_KEYS of this process lacks the key ${keyId}, which has sealed a stored secret: add it behind the first one, ` +
      'and restart. A new key is first in CREDENTIAL_KEYS only when every process has it (docs/operations.md).',
  );
  return new AppError('unavailable', undefined, { cause });
}

/** The associated data. */
function ofStore({ accountId, provider }: SecretOwner): Buffer {
  return Buffer.from(JSON.stringify([accountId, provider]));
}

function ofWebhook({ accountId, webhookId }: WebhookOwner): Buffer {
  return Buffer.from(JSON.stringify([accountId, 'webhook', webhookId]));
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64');
}
