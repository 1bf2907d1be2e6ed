import assert from 'node:assert/strict';
import { createDecipheriv, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import type { CipherKey } from '../../../adapters/vault/cipher.ts';
import { createVault } from '../../../adapters/vault/vault.ts';
import type { SealedText } from '../../../domain/accounts/account.ts';
import type { AppError } from '../../../domain/common/errors.ts';
import { catalogue } from '../price-book.ts';

const key = (keyId: string): CipherKey => ({ keyId, key: randomBytes(32) });
const OWNER = { accountId: 'acme', provider: 'r2' } as const;
const SECRET = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'a-secret-that-stays-secret' };
const bytesOf = (base64: string) => Buffer.from(base64, 'base64');

/** Changes the last byte. */
function altered(base64: string): string {
  const bytes = bytesOf(base64);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return bytes.toString('base64');
}
const shortened = (base64: string, length: number) =>
  bytesOf(base64).subarray(0, length).toString('base64');

describe('the vault', () => {
  const first = key('k1');
  const vault = createVault([first]);
  const text = fc.string({ unit: 'grapheme', maxLength: 600 });
  const owner = fc.record({ accountId: text, provider: fc.constantFrom(...catalogue.providers) });

  it('opens what it sealed for any credentials and owner, and for no other owner, however their names are cut', () => {
    fc.assert(
      fc.property(text, text, owner, owner, (accessKeyId, secretAccessKey, one, other) => {
        const credentials = { accessKeyId, secretAccessKey };
        const sealed = vault.seal(credentials, one);
        assert.deepEqual(vault.open(sealed, one), credentials);
        if (JSON.stringify(one) !== JSON.stringify(other))
          assert.throws(() => vault.open(sealed, other), /authenticate/);
      }),
    );
    const sealed = vault.seal(SECRET, OWNER);
    for (const other of [{ accountId: '' }, { provider: 'aws' }, { provider: 'b2' }] as const)
      assert.throws(() => vault.open(sealed, { ...OWNER, ...other }), /authenticate/);
  });

  it('uses a new 96-bit nonce each time, so equal secrets differ when sealed', () => {
    const sealed = Array.from({ length: 1_000 }, () => vault.seal(SECRET, OWNER));
    assert.equal(new Set(sealed.map(({ nonce }) => nonce)).size, 1_000);
    assert.equal(new Set(sealed.map(({ ciphertext }) => ciphertext)).size, 1_000);
    for (const { nonce, tag } of sealed)
      assert.deepEqual([bytesOf(nonce).length, bytesOf(tag).length], [12, 16]);
  });

  // spec: credentials.encrypted-at-rest
  it('seals as AES-256-GCM, which any other program can open', () => {
    const { nonce, ciphertext, tag } = vault.seal(SECRET, OWNER);
    const decipher = createDecipheriv('aes-256-gcm', first.key, bytesOf(nonce));
    decipher.setAAD(Buffer.from('["acme","r2"]'));
    decipher.setAuthTag(bytesOf(tag));
    const text = decipher.update(ciphertext, 'base64', 'utf8') + decipher.final('utf8');
    assert.deepEqual(JSON.parse(text), SECRET);
  });

  for (const [what, change] of [
    ['an altered ciphertext', ({ ciphertext }) => ({ ciphertext: altered(ciphertext) })],
    ['an altered tag', ({ tag }) => ({ tag: altered(tag) })],
    ['an altered nonce', ({ nonce }) => ({ nonce: altered(nonce) })],
    ['a shortened ciphertext', ({ ciphertext }) => ({ ciphertext: shortened(ciphertext, 10) })],
    ['an empty ciphertext', () => ({ ciphertext: '' })],
    ['a tag of 12 bytes', ({ tag }) => ({ tag: shortened(tag, 12) })],
    ['a tag of 4 bytes', ({ tag }) => ({ tag: shortened(tag, 4) })],
    ['an empty tag', () => ({ tag: '' })],
    ['a shortened nonce', ({ nonce }) => ({ nonce: shortened(nonce, 8) })],
    ['an empty nonce', () => ({ nonce: '' })],
  ] satisfies [string, (sealed: SealedText) => Partial<SealedText>][])
    it(`refuses ${what}`, () => {
      const sealed = vault.seal(SECRET, OWNER);
      assert.throws(() => vault.open({ ...sealed, ...change(sealed) }, OWNER));
    });

  it('lacks an unknown key for the time being, and says so to its operator alone', () => {
    const sealed = createVault([key('k9')]).seal(SECRET, OWNER);
    assert.throws(
      () => vault.open(sealed, OWNER),
      (error: AppError) => {
        assert.deepEqual([error.code, /k9|CREDENTIAL/.test(error.message)], ['unavailable', false]);
        assert.match(String(error.cause), /CREDENTIAL_KEYS of this process lacks the key k9/);
        return true;
      },
    );
  });

  it('refuses another key under the same id', () => {
    const sealed = createVault([key('k1')]).seal(SECRET, OWNER);
    assert.throws(() => vault.open(sealed, OWNER), /authenticate/);
  });

  it('seals with the first key and opens with each of them', () => {
    const second = key('k2');
    const rotated = createVault([second, first]);
    const old = vault.seal(SECRET, OWNER);
    assert.deepEqual(rotated.open(old, OWNER), SECRET);
    const fresh = rotated.seal(SECRET, OWNER);
    assert.equal(fresh.keyId, 'k2');
    assert.deepEqual(createVault([second]).open(fresh, OWNER), SECRET);
    assert.deepEqual([old, fresh].map(rotated.isCurrent), [false, true]);
    assert.deepEqual([old, fresh].map(vault.isCurrent), [true, false]);
  });
});
