import { readWorkerConfig } from '../config/worker.ts';
import { resealCredentials } from '../operations/providers/reseal.ts';
import { openRecords } from '../adapters/mongo/records.ts';
import { createVault } from '../adapters/vault/vault.ts';
import { runProcess } from '../process/run.ts';

/** `npm run reseal`: seals every stored secret with the first key of `CREDENTIAL_KEYS`. */
await runProcess('reseal', readWorkerConfig, async ({ config, log, tracing }) => {
  const records = openRecords(config.mongo);
  const resealed = await resealCredentials({
    ...records,
    vault: createVault(config.credentialKeys),
  });
  await records.close();
  await tracing?.close();
  if (resealed.unreadable.length === 0)
    return log.info(resealed, 'secrets are sealed with the newest key');
  log.error(resealed, 'no key opens some secrets: their accounts have to save or replace them');
  process.exitCode = 1;
});
