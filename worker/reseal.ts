import { waitForHandshakes } from '../config/network.ts';
import { readWorkerConfig } from '../config/worker.ts';
import { resealCredentials } from '../operations/providers/reseal.ts';
import { openRecords } from '../adapters/mongo/records.ts';
import { createLogger } from '../adapters/telemetry/logger.ts';
import { createVault } from '../adapters/vault/vault.ts';

/** `npm run reseal`: seals every stored secret with the first key of `CREDENTIAL_KEYS`. */
try {
  waitForHandshakes();
  const config = readWorkerConfig(process.env);
  const log = createLogger('reseal', config.logLevel);
  const records = openRecords(config.mongo);
  const resealed = await resealCredentials({
    ...records,
    vault: createVault(config.credentialKeys),
  });
  await records.close();
  if (resealed.unreadable.length === 0)
    log.info(resealed, 'secrets are sealed with the newest key');
  else {
    log.error(resealed, 'no key opens some secrets: their accounts have to save or replace them');
    process.exitCode = 1;
  }
} catch (error) {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}
