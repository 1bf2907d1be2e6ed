import process from 'node:process';
import {
  Client,
  Connection,
  isGrpcServiceError,
  ServiceError,
  type WorkflowClientInterceptor,
} from '@temporalio/client';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { RequestScope } from '../telemetry/request-scope.ts';
import { createDataConverter, createPayloadCodec, type PayloadKeys } from './payload-codec.ts';
import { carryRequestId } from './request-interceptor.ts';

/** gRPC status codes (https://grpc.io/docs/guides/status-codes/) of a temporary failure. */
const GRPC_CANCELLED = 1;
const GRPC_DEADLINE_EXCEEDED = 4;
const GRPC_RESOURCE_EXHAUSTED = 8;
const GRPC_UNAVAILABLE = 14;
const OUTAGE = new Set([
  GRPC_CANCELLED,
  GRPC_DEADLINE_EXCEEDED,
  GRPC_RESOURCE_EXHAUSTED,
  GRPC_UNAVAILABLE,
]);

export interface TemporalSettings {
  readonly address: string;
  readonly namespace: string;
  readonly payloadKeys: PayloadKeys;
}

export interface Temporal {
  readonly client: Client;
  /** Encodes and decodes headers, which the converter leaves alone. */
  readonly codec: PayloadCodec;
  readonly dataConverter: DataConverter;
  /** Resolves when the server answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * What Temporal's own variables say of the connection: TLS, API key, metadata. An empty one counts
 * as unset; the library takes an empty key for a key, and an empty `TEMPORAL_TLS` for a refusal of
 * TLS.
 */
export function readConnectionOptions(env: NodeJS.ProcessEnv = process.env) {
  const given = Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const overrideEnvVars = Object.fromEntries(given) as Record<string, string>;
  return loadClientConnectConfig({ overrideEnvVars }).connectionOptions;
}

/**
 * Connects lazily: a process starts without the server, and reports itself as degraded. Temporal's
 * environment configuration provides TLS and API keys.
 */
export function openTemporal(
  { address, namespace, payloadKeys }: TemporalSettings,
  requests: Pick<RequestScope, 'current'>,
  tracing: readonly WorkflowClientInterceptor[] = [],
): Temporal {
  const connection = Connection.lazy({ ...readConnectionOptions(), address });
  const codec = createPayloadCodec(payloadKeys);
  const dataConverter = createDataConverter(codec, payloadKeys.encrypts);
  return {
    codec,
    dataConverter,
    // MongoDB holds the result of an ended workflow; a query of it would be out of date.
    client: new Client({
      connection,
      namespace,
      dataConverter,
      workflow: { queryRejectCondition: 'NOT_OPEN' },
      interceptors: { workflow: [...tracing, carryRequestId(requests, codec)] },
    }),
    ping: async () => {
      await connection.withDeadline(Date.now() + 1_000, () =>
        connection.workflowService.getSystemInfo({}),
      );
    },
    close: () => connection.close(),
  };
}

/** Whether the server is unavailable. */
export function isTemporalOutage(error: unknown): boolean {
  const code = grpcCode(error);
  return code !== undefined && OUTAGE.has(code);
}

export function grpcCode(error: unknown): number | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) ? cause.code : undefined;
}
