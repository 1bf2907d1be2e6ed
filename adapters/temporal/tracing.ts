import type { WorkflowClientInterceptor } from '@temporalio/client';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryWorkflowClientInterceptor,
} from '@temporalio/interceptors-opentelemetry';
import type { OpenTracing } from '../telemetry/open-tracing.ts';

/** Calls that start, signal and query workflows carry the span in a header. */
export function traceClient(): WorkflowClientInterceptor {
  return new OpenTelemetryWorkflowClientInterceptor();
}

type ActivityContext = ConstructorParameters<typeof OpenTelemetryActivityInboundInterceptor>[0];

/** For a worker: a span for each attempt of an activity, and the spans that leave the sandbox. */
export function traceWorker({ processor, resource }: Pick<OpenTracing, 'processor' | 'resource'>) {
  return {
    activity: (context: ActivityContext) => ({
      inbound: new OpenTelemetryActivityInboundInterceptor(context),
    }),
    sinks: { exporter: makeWorkflowExporter(processor, resource) },
  };
}
