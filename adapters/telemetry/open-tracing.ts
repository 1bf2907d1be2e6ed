import * as otel from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { envDetectorSync, Resource } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { Logger } from './logger.ts';
import type { SpanOptions, TracedSpan, Tracing } from './tracing.ts';

const SHUTDOWN_MS = 3_000;
/** Spans below one span: a slice of a listing or of a copy makes thousands of calls. */
const MAX_CHILDREN = 100;
const NO_SPAN: TracedSpan = { rename: () => {}, set: () => {}, fail: () => {} };
const KINDS = { server: otel.SpanKind.SERVER, client: otel.SpanKind.CLIENT } as const;

/** What Temporal's worker needs besides the port. */
export interface OpenTracing extends Tracing {
  readonly processor: SpanProcessor;
  readonly resource: Resource;
  /** Logs why spans are lost. */
  reportTo(log: Logger): void;
}

/**
 * Sends spans by OTLP over HTTP, as OpenTelemetry's own variables say (`OTEL_EXPORTER_OTLP_…`,
 * `OTEL_TRACES_SAMPLER`, `OTEL_RESOURCE_ATTRIBUTES`). Temporal's interceptors use the global
 * provider that this sets. A collector that does not answer costs spans, nothing else.
 */
export function openTracing(service: string): OpenTracing {
  const named = { 'service.namespace': 'storage-routing', 'service.name': service };
  const resource = Resource.default().merge(new Resource(named)).merge(envDetectorSync.detect());
  const processor = new BatchSpanProcessor(new OTLPTraceExporter());
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  provider.register({
    contextManager: new AsyncLocalStorageContextManager().enable(),
    // Baggage would come from callers.
    propagator: new W3CTraceContextPropagator(),
  });
  /** Counts a child of the span, in its attribute `calls`. */
  const children = new WeakMap<otel.Span, number>();
  const isFull = (parent: otel.Span | undefined): boolean => {
    if (!parent) return false;
    const calls = (children.get(parent) ?? 0) + 1;
    children.set(parent, calls);
    parent.setAttribute('calls', calls);
    return calls > MAX_CHILDREN;
  };
  const tracer = provider.getTracer('storage-routing');

  return {
    processor,
    resource,
    run(options, work) {
      if (isFull(otel.trace.getActiveSpan())) return work(NO_SPAN);
      return tracer.startActiveSpan(options.name, toOtel(options), (span) => runWithin(span, work));
    },
    traceId: () => otel.trace.getActiveSpan()?.spanContext().traceId,
    reportTo(log) {
      const ignore = () => {};
      const report = (reason: string) => log.warn({ reason }, 'tracing failed');
      const to = { verbose: ignore, debug: ignore, info: ignore, warn: report, error: report };
      otel.diag.setLogger(to, otel.DiagLogLevel.WARN);
    },
    async close() {
      const timer = new Promise((resolve) => setTimeout(resolve, SHUTDOWN_MS).unref());
      await Promise.race([provider.shutdown().catch(() => {}), timer]);
    },
  };
}

async function runWithin<T>(span: otel.Span, work: (traced: TracedSpan) => Promise<T>): Promise<T> {
  const fail = () => void span.setStatus({ code: otel.SpanStatusCode.ERROR });
  try {
    return await work({
      rename: (name) => void span.updateName(name),
      set: (attributes) => void span.setAttributes(attributes),
      fail,
    });
  } catch (error) {
    // A driver's message may hold a URL or a key.
    fail();
    throw error;
  } finally {
    span.end();
  }
}

function toOtel({ kind, attributes, linkedTo }: SpanOptions): otel.SpanOptions {
  const linked = linkedTo === undefined ? undefined : parseTraceparent(linkedTo);
  return { kind: KINDS[kind], attributes, ...(linked ? { links: [{ context: linked }] } : {}) };
}

function parseTraceparent(traceparent: string): otel.SpanContext | undefined {
  const carrier = { traceparent };
  const getter = otel.defaultTextMapGetter;
  const context = new W3CTraceContextPropagator().extract(otel.ROOT_CONTEXT, carrier, getter);
  return otel.trace.getSpanContext(context);
}
