import type { interceptors as traceInterceptors } from '@temporalio/interceptors-opentelemetry/lib/workflow-interceptors.js';
import type {
  Headers,
  Payload,
  WorkflowInterceptors,
  WorkflowInterceptorsFactory,
} from '@temporalio/workflow';
import { REQUEST_HEADER } from '../messages/names.ts';
import { workflowFeatures } from './features.ts';

/** Webpack's: a module that is required within a function is evaluated when the function runs. */
declare function require(name: string): unknown;

/** The interceptors of every workflow. The span is the outermost, so that it includes the rest. */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const tracing: WorkflowInterceptors = workflowFeatures()?.traced ? createTracing() : {};
  const requests = createRequestIds();
  return {
    inbound: [...(tracing.inbound ?? []), ...requests.inbound],
    outbound: [...(tracing.outbound ?? []), ...requests.outbound],
    internals: tracing.internals ?? [],
  };
};

/** Evaluating OpenTelemetry in every sandbox would cost a third of the CPU of a short workflow. */
function createTracing(): WorkflowInterceptors {
  const tracing = require('@temporalio/interceptors-opentelemetry/lib/workflow-interceptors');
  return (tracing as { readonly interceptors: typeof traceInterceptors }).interceptors();
}

/**
 * Passes the request id to each activity and to the next run, so that the logs of worker and API
 * match: the id of the last signal, else of the request that started the workflow. The header stays
 * as the client encoded it.
 */
function createRequestIds() {
  let startHeader: Payload | undefined;
  let signalHeader: Payload | undefined;

  const withHeader = <T extends { readonly headers: Headers }>(input: T): T => {
    const header = signalHeader ?? startHeader;
    if (!header) return input;
    return { ...input, headers: { ...input.headers, [REQUEST_HEADER]: header } };
  };

  return {
    inbound: [
      {
        execute: (input, next) => {
          startHeader = input.headers[REQUEST_HEADER];
          return next(input);
        },
        handleSignal: (input, next) => {
          signalHeader = input.headers[REQUEST_HEADER] ?? signalHeader;
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withHeader(input)),
        scheduleLocalActivity: (input, next) => next(withHeader(input)),
        continueAsNew: (input, next) => next(withHeader(input)),
      },
    ],
  } satisfies WorkflowInterceptors;
}
