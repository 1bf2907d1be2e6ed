import type { IdentitySettings } from '../adapters/identity/token-verifier.ts';
import { readConfig, type Environment } from './environment.ts';
import { readProcess, readTemporal, type SharedConfig } from './shared.ts';

/** The endpoint that decrypts payloads for Temporal's UI and CLI. */
export interface CodecConfig extends Pick<SharedConfig, 'host' | 'logLevel' | 'temporal'> {
  readonly port: number;
  /** The identity provider of the operators, not of the customers. */
  readonly identity: IdentitySettings;
  /** The origins of Temporal UI. */
  readonly origins: readonly string[];
}

/** @throws ConfigError that names every problem at once. */
export function readCodecConfig(env: Environment): CodecConfig {
  return readConfig(env, (from) => {
    const { host, logLevel } = readProcess(from);
    const temporal = readTemporal(from);
    if (temporal.payloadKeys.keys.length === 0) from.missing('TEMPORAL_PAYLOAD_KEYS');
    const identity = {
      issuer: from.url('CODEC_JWT_ISSUER') ?? from.missing('CODEC_JWT_ISSUER'),
      audience: from.optional('CODEC_JWT_AUDIENCE') ?? from.missing('CODEC_JWT_AUDIENCE'),
      jwksUrl: from.url('CODEC_JWT_JWKS_URL'),
      accountClaim: 'sub',
      roleClaim: undefined,
    };
    if (identity.audience !== '' && identity.audience === from.optional('JWT_AUDIENCE'))
      from.complain('CODEC_JWT_AUDIENCE', 'must be another audience than JWT_AUDIENCE');
    const port = from.integer('CODEC_PORT', 8081, 0, 65_535);
    return { host, logLevel, temporal, port, identity, origins: from.origins('CODEC_ORIGINS') };
  });
}
