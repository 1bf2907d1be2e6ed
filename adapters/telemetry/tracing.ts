/** A value of an attribute. Never a URL, an object key, a file name or a secret. */
export type Attributes = Readonly<Record<string, string | number>>;

export interface SpanOptions {
  readonly name: string;
  readonly kind: 'server' | 'client';
  readonly attributes: Attributes;
  /** The `traceparent` of an untrusted caller: linked, not continued. */
  readonly linkedTo?: string | undefined;
}

export interface TracedSpan {
  rename(name: string): void;
  set(attributes: Attributes): void;
  fail(): void;
}

/** The spans of a process. Undefined in its place: no tracing, and no library of it is loaded. */
export interface Tracing {
  /** Runs the work as a span below the current one. An error marks it, without its message. */
  run<T>(options: SpanOptions, work: (span: TracedSpan) => Promise<T>): Promise<T>;
  /** The id of the current span's trace. */
  traceId(): string | undefined;
  /** Sends what is left. */
  close(): Promise<void>;
}
