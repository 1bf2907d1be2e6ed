import { wildcard } from '../identity/wildcard.ts';

/** What goes wrong. */
type FaultEffect =
  /** 503 `SlowDown`. */
  | 'slow_down'
  /** 500 `InternalError`. */
  | 'internal_error'
  /** 403 `AccessDenied`. */
  | 'access_denied'
  /** The request is taken and never answered. */
  | 'hang'
  /** The connection is destroyed: before the request is looked at, or in the middle of the answer. */
  | 'cut'
  /** An object's answer ends early and in good order: half the bytes, with a fitting Content-Length. */
  | 'truncate'
  /** The answer comes `latencyMs` late, and is right. */
  | 'latency';

/** A fault, and which requests it befalls. Patterns know `*` and `?`; what is left out matches all. */
export interface FaultSpec {
  readonly effect: FaultEffect;
  readonly service?: 's3' | 'sts';
  /** As in the API reference: `GetObject`, `List*`, `AssumeRole`. */
  readonly operation?: string;
  readonly bucket?: string;
  readonly key?: string;
  /** How often; left out: until cleared. */
  readonly times?: number;
  /** How many matching requests pass unharmed first. */
  readonly skip?: number;
  readonly latencyMs?: number;
  /**
   * `cut` only. `request` (default for everything but reads of objects): nothing was done. `response`:
   * it was done, and the answer is lost; of an object the first half arrives.
   */
  readonly at?: 'request' | 'response';
}

/** What a request is to the faults. */
interface FaultSubject {
  readonly service: 's3' | 'sts';
  readonly operation: string;
  readonly bucket: string | null;
  readonly key: string | null;
}

/** The faults that are set. */
export interface Faults {
  add(spec: FaultSpec): void;
  clear(): void;
  /** The first fault that befalls this request, counted as spent. */
  take(subject: FaultSubject): FaultSpec | null;
}

/** Creates an empty set of faults. */
export function createFaults(): Faults {
  let active: { readonly spec: FaultSpec; skip: number; left: number }[] = [];
  return {
    add(spec) {
      active.push({ spec, skip: spec.skip ?? 0, left: spec.times ?? Number.POSITIVE_INFINITY });
    },
    clear() {
      active = [];
    },
    take(subject) {
      const fault = active.find(({ spec }) => befalls(spec, subject));
      if (fault === undefined) return null;
      if (fault.skip > 0) {
        fault.skip -= 1;
        return null;
      }
      fault.left -= 1;
      if (fault.left <= 0) active = active.filter((other) => other !== fault);
      return fault.spec;
    },
  };
}

function befalls(spec: FaultSpec, subject: FaultSubject): boolean {
  return (
    (spec.service === undefined || spec.service === subject.service) &&
    matches(spec.operation, subject.operation) &&
    matches(spec.bucket, subject.bucket) &&
    matches(spec.key, subject.key)
  );
}

function matches(pattern: string | undefined, value: string | null): boolean {
  return pattern === undefined || (value !== null && wildcard(pattern, value));
}
