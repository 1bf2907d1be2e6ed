import type { StoreFailure } from '../../adapters/object-store/errors.ts';
import type { AwsDouble } from '../../dev/aws-double/index.ts';
import { PART_BYTES } from '../../domain/common/parts.ts';
import type { ObjectFailure } from '../../domain/migration/object-ledger.ts';
import { MIB } from './object-copy.ts';

export type Fault = Parameters<AwsDouble['addFault']>[0];

export const HELD = 100_000;
export const THROUGH = 9 * MIB;
export const IN_PARTS = PART_BYTES + MIB;

/** What fails, where, and what becomes of the object. */
interface Case {
  readonly what: string;
  readonly sizes: readonly number[];
  readonly at: 'source' | 'target';
  readonly fault: Fault;
  readonly code: ObjectFailure;
  readonly isTransient: boolean;
  readonly failure?: StoreFailure;
}

export const ALL = [HELD, THROUGH, IN_PARTS];
export const CASES: readonly Case[] = [
  {
    what: 'a source that sends half, in good order',
    sizes: ALL,
    at: 'source',
    fault: { effect: 'truncate', operation: 'GetObject' },
    code: 'source_incomplete',
    isTransient: true,
  },
  {
    what: 'a source that hangs up in the middle',
    sizes: ALL,
    at: 'source',
    fault: { effect: 'cut', operation: 'GetObject' },
    code: 'source_unavailable',
    isTransient: true,
    failure: 'unreachable',
  },
  {
    what: 'a busy source',
    sizes: ALL,
    at: 'source',
    fault: { effect: 'slow_down', operation: 'GetObject' },
    code: 'source_unavailable',
    isTransient: true,
    failure: 'throttled',
  },
  {
    what: 'a broken source',
    sizes: [HELD],
    at: 'source',
    fault: { effect: 'internal_error', operation: 'GetObject' },
    code: 'source_unavailable',
    isTransient: true,
    failure: 'failed',
  },
  {
    what: 'a source that hangs',
    sizes: [HELD, IN_PARTS],
    at: 'source',
    fault: { effect: 'hang', operation: 'GetObject' },
    code: 'source_unavailable',
    isTransient: true,
    failure: 'timed_out',
  },
  {
    what: 'a source that refuses',
    sizes: ALL,
    at: 'source',
    fault: { effect: 'access_denied', operation: 'GetObject' },
    code: 'source_refused',
    isTransient: false,
    failure: 'access_denied',
  },
  {
    what: 'a busy target',
    sizes: [HELD, THROUGH],
    at: 'target',
    fault: { effect: 'slow_down', operation: 'PutObject' },
    code: 'target_unavailable',
    isTransient: true,
    failure: 'throttled',
  },
  {
    what: 'a target that hangs',
    sizes: [HELD, THROUGH],
    at: 'target',
    fault: { effect: 'hang', operation: 'PutObject' },
    code: 'target_unavailable',
    isTransient: true,
    failure: 'timed_out',
  },
  {
    what: 'a target that hangs up',
    sizes: [HELD, THROUGH],
    at: 'target',
    fault: { effect: 'cut', operation: 'PutObject' },
    code: 'target_unavailable',
    isTransient: true,
    failure: 'unreachable',
  },
  {
    what: 'a target that refuses',
    sizes: [HELD, THROUGH],
    at: 'target',
    fault: { effect: 'access_denied', operation: 'PutObject' },
    code: 'target_refused',
    isTransient: false,
    failure: 'access_denied',
  },
  {
    what: 'a target that refuses uploads',
    sizes: [IN_PARTS],
    at: 'target',
    fault: { effect: 'access_denied', operation: 'CreateMultipartUpload' },
    code: 'target_refused',
    isTransient: false,
    failure: 'access_denied',
  },
  {
    what: 'a target that refuses parts',
    sizes: [IN_PARTS],
    at: 'target',
    fault: { effect: 'access_denied', operation: 'UploadPart' },
    code: 'target_refused',
    isTransient: false,
    failure: 'access_denied',
  },
  {
    what: 'a target that is busy for parts',
    sizes: [IN_PARTS],
    at: 'target',
    fault: { effect: 'slow_down', operation: 'UploadPart' },
    code: 'target_unavailable',
    isTransient: true,
    failure: 'throttled',
  },
  {
    what: 'a target that hangs up on the second part',
    sizes: [IN_PARTS],
    at: 'target',
    fault: { effect: 'cut', operation: 'UploadPart', skip: 1 },
    code: 'target_unavailable',
    isTransient: true,
    failure: 'unreachable',
  },
  {
    what: 'a target that cannot complete',
    sizes: [IN_PARTS],
    at: 'target',
    fault: { effect: 'internal_error', operation: 'CompleteMultipartUpload' },
    code: 'target_unavailable',
    isTransient: true,
    failure: 'failed',
  },
];
