import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from './listening.ts';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly service: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly links: readonly { readonly traceId: string }[];
}

export type TraceCollector = Awaited<ReturnType<typeof startTraceCollector>>;

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number>>;
}
interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'attributes' | 'service' | 'links'> & {
        readonly attributes: readonly Attribute[];
        readonly links?: CollectedSpan['links'];
      })[];
    }[];
  }[];
}

/** An OTLP/HTTP collector: https://opentelemetry.io/docs/specs/otlp/#otlphttp-request */
export async function startTraceCollector() {
  const spans: CollectedSpan[] = [];
  let received = '';
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    received += body;
    if (request.url === '/v1/traces') spans.push(...spansOf(JSON.parse(body) as ExportRequest));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => void take(request, response));
  const port = await listening(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    /** All that was received. */
    text: () => received,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function spansOf({ resourceSpans }: ExportRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        ...span,
        links: span.links ?? [],
        attributes: toRecord(span.attributes),
        service: toRecord(resource.attributes)['service.name'] ?? '',
      })),
    ),
  );
}

function toRecord(attributes: readonly Attribute[]): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]),
  );
}
