import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requireOnPath } from './commands.ts';

/** In PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const DAYS = 30;
const OPENSSL_WITHIN_MS = 20_000;

/**
 * A self-signed certificate for `localhost`, `127.0.0.1` and `::1`. Node makes none.
 *
 * @throws Error if there is no `openssl`
 */
export async function makeCertificate(): Promise<Certificate> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
  try {
    const keyFile = join(folder, 'key.pem');
    await writeFile(keyFile, key, { mode: 0o600 });
    const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1';
    const args = ['req', '-x509', '-new', '-key', keyFile, '-days', String(DAYS)];
    const { stdout } = await promisify(execFile)(
      await requireOnPath('openssl'),
      [...args, '-subj', '/CN=localhost', '-addext', names],
      { timeout: OPENSSL_WITHIN_MS },
    );
    return { key, cert: stdout };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
