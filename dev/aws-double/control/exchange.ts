import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import { AwsError, toAwsError } from '../wire/errors.ts';
import type { WireRequest } from '../wire/request.ts';
import { type Answer, writeResponse } from '../wire/response.ts';
import type { Faults, FaultSpec, FaultSubject } from './faults.ts';

/** Dependencies of {@link serveExchange}. */
export interface ExchangeDeps {
  readonly faults: Faults;
  readonly requestLog: RequestLog;
  now(): number;
}

/** One request as a service takes it. */
interface Exchange {
  readonly request: WireRequest;
  readonly subject: FaultSubject;
  /**
   * Authenticates the request. A fault comes between this and the operation.
   *
   * @returns the caller's ARN, and what remains to be done
   */
  prepare(): { readonly caller: string | null; run(): Promise<Answer> | Answer };
  toErrorAnswer(error: AwsError): Answer;
}

/** Serves one request with log entry, fault and error answer, and never rejects. */
export async function serveExchange(deps: ExchangeDeps, exchange: Exchange): Promise<void> {
  const { request, subject } = exchange;
  const { outgoing, incoming } = request;
  const entry = deps.requestLog.open(subject, deps.now());
  try {
    const { caller, run } = exchange.prepare();
    entry.caller = caller;
    const fault = deps.faults.take(subject);
    if (fault !== null && (await applyFault(fault, exchange)) === 'ended') return;
    const answer = await run();
    entry.status = answer.status;
    const isCorrupted = fault?.effect === 'cut' || fault?.effect === 'truncate';
    await writeResponse(outgoing, answer, isCorrupted ? fault.effect : null);
  } catch (error) {
    if (outgoing.headersSent || outgoing.destroyed || incoming.errored) {
      outgoing.destroy();
      return;
    }
    const known = toAwsError(error);
    entry.status = known.status;
    await writeResponse(outgoing, exchange.toErrorAnswer(known), null);
  } finally {
    deps.requestLog.close();
  }
}

/**
 * Applies the part of a fault that precedes the operation.
 *
 * @throws AwsError if the fault is an error answer
 */
async function applyFault(
  { effect, latencyMs, at }: FaultSpec,
  { request, subject }: Exchange,
): Promise<'continue' | 'ended'> {
  const { incoming, outgoing } = request;
  if (latencyMs !== undefined) await delay(latencyMs);
  switch (effect) {
    case 'slow_down':
      throw new AwsError('SlowDown');
    case 'internal_error':
      throw new AwsError('InternalError');
    case 'access_denied':
      throw new AwsError('AccessDenied');
    case 'hang':
      // Read the body: otherwise the client could not distinguish a hanging server from a slow network.
      if (request.expectsContinue && !incoming.complete) outgoing.writeContinue();
      incoming.resume();
      if (!outgoing.closed && !outgoing.destroyed) await once(outgoing, 'close');
      return 'ended';
    case 'cut':
      if ((at ?? (subject.operation === 'GetObject' ? 'response' : 'request')) === 'response') {
        return 'continue';
      }
      incoming.socket.destroy();
      return 'ended';
    case 'truncate':
    case 'latency':
      return 'continue';
  }
}

/** One logged request: its operation is `Unknown` if it was none. */
export interface RequestLogEntry extends FaultSubject {
  readonly atMs: number;
  /** The caller's ARN; null if verification failed. */
  caller: string | null;
  /** 0 while in progress, and if the connection broke before a response. */
  status: number;
}

/** Request counts. */
export interface RequestCounts {
  readonly total: number;
  readonly byOperation: Readonly<Record<string, number>>;
  /** Peak number of concurrent requests. */
  readonly mostAtOnce: number;
}

const MAX_ENTRIES = 100_000;

/** Counts requests and keeps the latest. */
export type RequestLog = ReturnType<typeof createRequestLog>;

/** Creates an empty request log. */
export function createRequestLog() {
  let entries: RequestLogEntry[] = [];
  let byOperation: Record<string, number> = {};
  let total = 0;
  let inProgress = 0;
  let mostAtOnce = 0;
  return {
    open(subject: FaultSubject, atMs: number): RequestLogEntry {
      const entry: RequestLogEntry = { ...subject, atMs, caller: null, status: 0 };
      entries.push(entry);
      if (entries.length >= 2 * MAX_ENTRIES) entries = entries.slice(-MAX_ENTRIES);
      total += 1;
      inProgress += 1;
      mostAtOnce = Math.max(mostAtOnce, inProgress);
      byOperation[entry.operation] = (byOperation[entry.operation] ?? 0) + 1;
      return entry;
    },
    close(): void {
      inProgress -= 1;
    },
    counts: (): RequestCounts => ({ total, byOperation: { ...byOperation }, mostAtOnce }),
    /** The latest, oldest first. */
    recent: (): readonly RequestLogEntry[] => entries.slice(-MAX_ENTRIES),
    reset(): void {
      entries = [];
      byOperation = {};
      total = 0;
      mostAtOnce = inProgress;
    },
  };
}
