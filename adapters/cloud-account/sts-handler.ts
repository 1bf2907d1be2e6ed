import type { STSClient } from '@aws-sdk/client-sts';
import { fetchBounded } from '../bounded-fetch.ts';

type SdkHandler = STSClient['config']['requestHandler'];

/** Sends the SDK's requests to STS. The SDK's own handler reads a response of any length into memory. */
export function createStsHandler(): SdkHandler {
  const handler: Pick<SdkHandler, 'handle'> = {
    async handle({ method, protocol, hostname, port, path, headers, body }, options = {}) {
      // fetch sets these two itself, to the same values.
      const { host: _host, 'content-length': _length, ...others } = headers;
      const origin = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
      const { abortSignal } = options as { abortSignal?: AbortSignal };
      const response = await fetchBounded(origin + path, {
        method,
        headers: others,
        body: body as string,
        signal: abortSignal ?? null,
      });
      return {
        response: {
          statusCode: response.status,
          headers: Object.fromEntries(response.headers),
          body: Buffer.from(await response.arrayBuffer()),
        },
      };
    },
  };
  return handler as SdkHandler;
}
