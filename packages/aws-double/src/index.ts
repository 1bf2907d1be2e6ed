import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createFaults } from './control/faults.ts';
import { createRequestLog } from './control/request-log.ts';
import { createControl, type Control } from './control/control.ts';
import { createControlListener } from './control/server.ts';
import { createDirectory } from './identity/directory.ts';
import { createBuckets } from './s3/buckets.ts';
import { OPERATIONS } from './s3/operations.ts';
import { createS3 } from './s3/server.ts';
import { createBodies } from './store/bodies.ts';
import { createSts } from './sts/server.ts';
import { readWireRequest, type WireRequest } from './wire/request.ts';

/** Options of a double. */
export interface AwsDoubleOptions {
  /** Folder for bodies above `memoryLimitBytes`. Created on first use, removed by `close()`. */
  readonly dataDirectory: string;
  /** Default 4 MiB. */
  readonly memoryLimitBytes?: number;
  /** The clock, in milliseconds. Default: the real one. */
  readonly now?: () => number;
  /** The address on which S3 and STS listen; 127.0.0.1 by default. The control interface stays there. */
  readonly host?: string;
  /** Ports; 0, the default, is a free one. */
  readonly s3Port?: number;
  readonly stsPort?: number;
  readonly controlPort?: number;
}

/** A running double of a cloud account: S3, STS and the control interface. */
export interface AwsDouble extends Control {
  /** `http://127.0.0.1:<port>`; virtual-hosted: `http://<bucket>.s3.localhost:<port>`. */
  readonly s3Endpoint: string;
  readonly stsEndpoint: string;
  /** The control interface for other processes. */
  readonly controlEndpoint: string;
  /** Ends all connections and removes the files. */
  close(): Promise<void>;
}

const DEFAULT_MEMORY_LIMIT_BYTES = 4 * 1024 * 1024;
const LOOPBACK = '127.0.0.1';
const MAX_HEADER_BYTES = 64 * 1024;

/** Starts a double. */
export async function startAwsDouble(options: AwsDoubleOptions): Promise<AwsDouble> {
  const limit = options.memoryLimitBytes ?? DEFAULT_MEMORY_LIMIT_BYTES;
  const deps = {
    directory: createDirectory(),
    buckets: createBuckets(),
    bodies: createBodies(options.dataDirectory, limit),
    faults: createFaults(),
    requestLog: createRequestLog(),
    now: options.now ?? Date.now,
  };
  const control = createControl(deps);
  const s3 = createAwsServer(createS3({ ...deps, operations: OPERATIONS }));
  const sts = createAwsServer(createSts(deps));
  const controlServer = createServer(createControlListener(control));
  const servers = [s3, sts, controlServer];
  const { host = LOOPBACK } = options;
  return {
    ...control,
    s3Endpoint: await listen(s3, host, options.s3Port ?? 0),
    stsEndpoint: await listen(sts, host, options.stsPort ?? 0),
    controlEndpoint: await listen(controlServer, LOOPBACK, options.controlPort ?? 0),
    async close() {
      await Promise.all(servers.map(closeServer));
      await deps.bodies.close();
    },
  };
}

function createAwsServer(serve: (request: WireRequest) => Promise<void>): Server {
  const listener =
    (expectsContinue: boolean): RequestListener =>
    (incoming, outgoing) => {
      // `serve` answers its own errors; only a broken connection rejects.
      serve(readWireRequest(incoming, outgoing, expectsContinue)).catch(() => outgoing.destroy());
    };
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, listener(false));
  server.on('checkContinue', listener(true));
  // No timeout for large bodies; clients close idle connections.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  return server;
}

/** Returns the address for this machine. */
async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;
}

async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
