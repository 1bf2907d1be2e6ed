import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type Control, createControl, createControlListener } from './control/control.ts';
import { createFaults } from './control/faults.ts';
import { createRequestLog } from './control/exchange.ts';
import { createDirectory } from './identity/directory.ts';
import { createS3 } from './s3/server.ts';
import { S3_BEHAVIOUR, type StoreBehaviour } from './store/behaviour.ts';
import { createBodies } from './store/bodies.ts';
import { createBuckets } from './store/bucket.ts';
import { createBills, createMetrics } from './store/usage.ts';
import { createSts } from './sts.ts';
import { createCloudWatch } from './usage/cloud-watch.ts';
import { createCostExplorer } from './usage/cost-explorer.ts';
import { readWireRequest, type WireRequest } from './wire/request.ts';

/** Options of a double. */
export interface AwsDoubleOptions {
  /** Folder for large bodies. Created on first use, removed by `close()`. */
  readonly dataDirectory: string;
  /** How the S3 service differs from S3's: it behaves as another store. */
  readonly behaviour?: StoreBehaviour;
  /** The clock, in milliseconds. Default: the real one. */
  readonly now?: () => number;
  /** The address on which the services listen; 127.0.0.1 by default. The control interface stays there. */
  readonly host?: string;
  /** Ports; 0, the default, is a free one. */
  readonly s3Port?: number;
  readonly stsPort?: number;
  readonly costExplorerPort?: number;
  readonly cloudWatchPort?: number;
}

/** A running double of a cloud account: S3, STS, Cost Explorer, CloudWatch and the control interface. */
export interface AwsDouble extends Control {
  /** `http://127.0.0.1:<port>`; virtual-hosted: `http://<bucket>.s3.localhost:<port>`. */
  readonly s3Endpoint: string;
  readonly stsEndpoint: string;
  readonly costExplorerEndpoint: string;
  readonly cloudWatchEndpoint: string;
  /** The control interface for other processes. */
  readonly controlEndpoint: string;
  /** Ends all connections and removes the files. */
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const MAX_HEADER_BYTES = 64 * 1024;

/** Starts a double. */
export async function startAwsDouble(options: AwsDoubleOptions): Promise<AwsDouble> {
  const { host = LOOPBACK, s3Port = 0, stsPort = 0 } = options;
  const { costExplorerPort = 0, cloudWatchPort = 0 } = options;
  const deps = {
    behaviour: { ...S3_BEHAVIOUR, ...options.behaviour },
    directory: createDirectory(),
    buckets: createBuckets(),
    bodies: createBodies(options.dataDirectory),
    faults: createFaults(),
    requestLog: createRequestLog(),
    bills: createBills(),
    metrics: createMetrics(),
    now: options.now ?? Date.now,
  };
  const control = createControl(deps);
  const s3 = createAwsServer(createS3(deps));
  const sts = createAwsServer(createSts(deps));
  const costExplorer = createAwsServer(createCostExplorer(deps));
  const cloudWatch = createAwsServer(createCloudWatch(deps));
  const controlServer = createServer(createControlListener(control));
  return {
    ...control,
    s3Endpoint: await listen(s3, host, s3Port),
    stsEndpoint: await listen(sts, host, stsPort),
    costExplorerEndpoint: await listen(costExplorer, host, costExplorerPort),
    cloudWatchEndpoint: await listen(cloudWatch, host, cloudWatchPort),
    controlEndpoint: await listen(controlServer, LOOPBACK, 0),
    async close() {
      await Promise.all([s3, sts, costExplorer, cloudWatch, controlServer].map(closeServer));
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
