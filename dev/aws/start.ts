import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createFaults } from './control/faults.ts';
import { createLedger } from './control/ledger.ts';
import { createControl, type Control } from './control/panel.ts';
import { createControlListener } from './control/server.ts';
import { createDirectory } from './identity/directory.ts';
import { createBuckets } from './s3/buckets.ts';
import { OPERATIONS } from './s3/operations.ts';
import { createS3 } from './s3/server.ts';
import { createBodies } from './store/bodies.ts';
import { createSts } from './sts/server.ts';
import { readWireRequest, type WireRequest } from './wire/request.ts';

/** How a double is started. */
export interface AwsDoubleOptions {
  /** Where bodies above `memoryLimitBytes` go. Made when first needed, removed by `close()`. */
  readonly dataDirectory: string;
  /** Default 4 MiB. */
  readonly memoryLimitBytes?: number;
  /** The clock, in milliseconds. Default: the real one. */
  readonly now?: () => number;
  /** Ports; 0, the default, is a free one. */
  readonly s3Port?: number;
  readonly stsPort?: number;
  readonly controlPort?: number;
}

/** A running double of a cloud account: S3 and STS, and the control over them. */
export interface AwsDouble extends Control {
  /** `http://127.0.0.1:<port>`; virtual-hosted: `http://<bucket>.s3.localhost:<port>`. */
  readonly s3Endpoint: string;
  readonly stsEndpoint: string;
  /** The same control for other processes. */
  readonly controlEndpoint: string;
  /** Ends all connections and removes the files. */
  close(): Promise<void>;
}

const DEFAULT_MEMORY_LIMIT_BYTES = 4 * 1024 * 1024;
const MAX_HEADER_BYTES = 64 * 1024;

/** Starts a double on 127.0.0.1. */
export async function startAwsDouble(options: AwsDoubleOptions): Promise<AwsDouble> {
  const limit = options.memoryLimitBytes ?? DEFAULT_MEMORY_LIMIT_BYTES;
  const deps = {
    directory: createDirectory(),
    buckets: createBuckets(),
    bodies: createBodies(options.dataDirectory, limit),
    faults: createFaults(),
    ledger: createLedger(),
    now: options.now ?? Date.now,
  };
  const control = createControl(deps);
  const s3 = createAwsServer(createS3({ ...deps, operations: OPERATIONS }));
  const sts = createAwsServer(createSts(deps));
  const panel = createServer(createControlListener(control));
  const servers = [s3, sts, panel];
  return {
    ...control,
    s3Endpoint: await listen(s3, options.s3Port ?? 0),
    stsEndpoint: await listen(sts, options.stsPort ?? 0),
    controlEndpoint: await listen(panel, options.controlPort ?? 0),
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
      // `serve` answers its own errors; what is left is a connection that broke while it did.
      serve(readWireRequest(incoming, outgoing, expectsContinue)).catch(() => outgoing.destroy());
    };
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, listener(false));
  server.on('checkContinue', listener(true));
  // Large bodies may take their time, and idle connections are the client's to close.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  return server;
}

async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
