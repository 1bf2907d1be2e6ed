import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createIdentity, type KeptIdentity } from '../parts/cloud-account.ts';

/** Only the user of the containers may read them. */
const MODE = 0o600;

/**
 * Generates the secrets of a trial once, so that no compose file has any: the key that seals credentials
 * (`credential_keys`), the service's own AWS identity in the form of the SDK (`aws_credentials`), and the
 * external id of the role.
 */
export async function openTrialState(folder: string): Promise<KeptIdentity> {
  const file = join(folder, 'state.json');
  if (!existsSync(file)) {
    const created = createIdentity();
    const { accessKeyId, secretAccessKey } = created.service;
    const write = (name: string, text: string) =>
      writeFile(join(folder, name), text, { mode: MODE });
    await write('credential_keys', `k1:${randomBytes(32).toString('base64')}\n`);
    await write(
      'aws_credentials',
      `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
    );
    // Written last: if it exists, the others do too.
    await write('state.json', JSON.stringify(created));
  }
  return JSON.parse(await readFile(file, 'utf8')) as KeptIdentity;
}
