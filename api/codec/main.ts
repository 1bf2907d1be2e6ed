import { createTokenVerifier } from '../../adapters/identity/token-verifier.ts';
import { createLogger, type Logger } from '../../adapters/telemetry/logger.ts';
import { createRequestScope, type RequestScope } from '../../adapters/telemetry/request-scope.ts';
import { createPayloadCodec } from '../../adapters/temporal/payload-codec.ts';
import { readCodecConfig, type CodecConfig } from '../../config/codec.ts';
import { ConfigError } from '../../config/environment.ts';
import { waitForHandshakes } from '../../config/network.ts';
import { listen } from '../http/server.ts';
import { createCodecApp } from './app.ts';

/**
 * `npm run codec`: decrypts payloads for Temporal's UI and CLI. Operators reach it, customers do
 * not.
 */
const DRAIN_MS = 3_000;

async function start(
  config: CodecConfig,
  requests: RequestScope,
  log: Logger,
): Promise<() => Promise<void>> {
  const app = createCodecApp({
    codec: createPayloadCodec(config.temporal.payloadKeys),
    namespace: config.temporal.namespace,
    verifyToken: createTokenVerifier(config.identity),
    origins: config.origins,
    requests,
    log,
  });
  const drain = await listen(app, config, log);
  return () => drain(DRAIN_MS);
}

try {
  waitForHandshakes();
  const config = readCodecConfig(process.env);
  const requests = createRequestScope();
  const log = createLogger('codec', config.logLevel, requests);
  const stop = await start(config, requests, log);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void stop().then(() => process.exit(0)));
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exit(1);
}
