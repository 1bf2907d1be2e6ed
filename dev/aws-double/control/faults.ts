import { isMatch } from '../identity/policy.ts';
import type { AwsService } from '../wire/request.ts';

/** The effect of a fault. */
type FaultEffect =
  /** 503 `SlowDown`. */
  | 'slow_down'
  /** 500 `InternalError`. */
  | 'internal_error'
  /** 403 `AccessDenied`. */
  | 'access_denied'
  /** The request is read and never answered. */
  | 'hang'
  /** The connection is destroyed: before the request is processed, or in the middle of the response. */
  | 'cut'
  /** An object's response is well-formed but short: half the bytes, with a matching Content-Length. */
  | 'truncate'
  /** The correct response arrives `latencyMs` late. */
  | 'latency';

/** A fault, and which requests it matches. Patterns know `*` and `?`; what is left out matches all. */
export interface FaultSpec {
  readonly effect: FaultEffect;
  readonly service?: AwsService;
  /** As in the API reference: `GetObject`, `List*`, `AssumeRole`. */
  readonly operation?: string;
  readonly bucket?: string;
  readonly key?: string;
  /** Number of matching requests affected; omitted: until cleared. */
  readonly times?: number;
  /** Number of matching requests that pass first. */
  readonly skip?: number;
  readonly latencyMs?: number;
  /**
   * `cut` only. `request` (default except for object reads): nothing is done. `response`: the
   * operation completes and the response is lost; of an object the first half arrives.
   */
  readonly at?: 'request' | 'response';
}

/** The request properties that faults match on. */
export interface FaultSubject {
  readonly service: AwsService;
  readonly operation: string;
  readonly bucket: string | null;
  readonly key: string | null;
}

/** The active faults. */
export type Faults = ReturnType<typeof createFaults>;

/** Creates an empty set of faults. */
export function createFaults() {
  let active: { readonly spec: FaultSpec; skip: number; left: number }[] = [];
  return {
    add(spec: FaultSpec): void {
      active.push({ spec, skip: spec.skip ?? 0, left: spec.times ?? Number.POSITIVE_INFINITY });
    },
    clear(): void {
      active = [];
    },
    /** The first fault that matches this request, counted as spent. */
    take(subject: FaultSubject): FaultSpec | null {
      const fault = active.find(({ spec }) => matchesFault(spec, subject));
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

function matchesFault(spec: FaultSpec, subject: FaultSubject): boolean {
  return (['service', 'operation', 'bucket', 'key'] as const).every((name) => {
    const pattern = spec[name];
    const value = subject[name];
    return pattern === undefined || (value !== null && isMatch(pattern, value));
  });
}
