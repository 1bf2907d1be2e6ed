import { createTokenVerifier } from '../../adapters/identity/token-verifier.ts';
import { createPayloadCodec } from '../../adapters/temporal/payload-codec.ts';
import { readCodecConfig } from '../../config/codec.ts';
import { runProcess, stopOnSignal } from '../../process/run.ts';
import { listen } from '../http/server.ts';
import { createCodecApp } from './app.ts';

const DRAIN_MS = 3_000;

/** `npm run codec`: decrypts payloads for Temporal's UI and CLI. For operators only. */
await runProcess('codec', readCodecConfig, async ({ config, requests, log }) => {
  const app = createCodecApp({
    codec: createPayloadCodec(config.temporal.payloadKeys),
    namespace: config.temporal.namespace,
    verifyToken: createTokenVerifier(config.identity),
    origins: config.origins,
    requests,
    log,
  });
  const drain = await listen(app, config, log);
  stopOnSignal(log, () => drain(DRAIN_MS));
});
