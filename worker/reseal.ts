import { readWorkerConfig } from '../config.ts';
import { resealCredentials } from '../activities/credentials.ts';
import { openRecords } from '../adapters/mongo/records.ts';
import { createLogger } from '../adapters/telemetry/logger.ts';
import { createVault } from '../adapters/vault/vault.ts';

/** `npm run reseal`: seals every stored credential with the first key of `CREDENTIAL_KEYS`. */
try {
  const config = readWorkerConfig(process.env);
  const log = createLogger('reseal', config.logLevel);
  const records = openRecords(config.mongo);
  const counts = await resealCredentials({ ...records, vault: createVault(config.credentialKeys) });
  log.info(counts, 'credentials are sealed with the newest key');
  await records.close();
} catch (error) {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}
