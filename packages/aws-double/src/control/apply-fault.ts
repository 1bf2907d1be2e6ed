import { setTimeout as delay } from 'node:timers/promises';

import { AwsError } from '../wire/errors.ts';
import type { WireRequest } from '../wire/request.ts';
import { connectionClosed } from '../wire/response.ts';
import { unreachable } from '../wire/unreachable.ts';
import type { FaultSpec } from './faults.ts';

/** The request that a fault was taken for. */
interface FaultedCall {
  readonly request: WireRequest;
  /** As in the API reference. */
  readonly operation: string;
  /** What the service says with `SlowDown`. */
  readonly slowDownMessage: string;
}

/**
 * Applies the part of a fault that precedes the operation.
 *
 * @throws AwsError where the fault is an error answer
 */
export async function applyFault(
  fault: FaultSpec,
  { request, operation, slowDownMessage }: FaultedCall,
): Promise<'continue' | 'ended'> {
  if (fault.latencyMs !== undefined) await delay(fault.latencyMs);
  switch (fault.effect) {
    case 'slow_down':
      throw new AwsError('SlowDown', slowDownMessage);
    case 'internal_error':
      throw new AwsError('InternalError', 'We encountered an internal error. Please try again.');
    case 'access_denied':
      throw new AwsError('AccessDenied', 'Access Denied');
    case 'hang':
      // Read the body: otherwise the client could not distinguish a hanging server from a slow network.
      if (request.expectsContinue && !request.incoming.complete) request.outgoing.writeContinue();
      request.incoming.resume();
      await connectionClosed(request.outgoing);
      return 'ended';
    case 'cut': {
      const at = fault.at ?? (operation === 'GetObject' ? 'response' : 'request');
      if (at === 'response') return 'continue';
      request.incoming.socket.destroy();
      return 'ended';
    }
    case 'truncate':
    case 'latency':
      return 'continue';
    default:
      return unreachable(fault.effect);
  }
}
