import type { Behaviour } from '../store/behaviour.ts';
import type { Principal } from '../identity/directory.ts';
import type { ReceivedBody } from '../signature/payload.ts';
import type { Bucket, Buckets } from '../store/bucket.ts';
import type { WireRequest } from '../wire/request.ts';
import type { Answer } from '../wire/response.ts';

/** The resource of an action. */
export interface Target {
  /** Null: the service as a whole. */
  readonly bucket: Pick<Bucket, 'name' | 'accountId' | 'settings'> | null;
  /** Empty: the bucket itself. */
  readonly key: string;
  /** The condition of a delete. */
  readonly ifMatch?: string | undefined;
}

/** An authenticated request with the dependencies of its handler. */
export interface ServiceCall {
  readonly behaviour: Behaviour;
  readonly request: WireRequest;
  readonly principal: Principal;
  /** The region of the signature: that of the endpoint the client addresses. */
  readonly region: string;
  /** The addressed bucket, whether or not it exists; empty without one. */
  readonly bucketName: string;
  readonly nowMs: number;
  readonly buckets: Buckets;
  /** @throws AwsError `AccessDenied` unless the caller may do this. */
  authorize(action: string, target: Target): void;
  isAllowed(action: string, target: Target): boolean;
  /** Receives and verifies the body. A body above the limit is discarded. */
  receive(keepUpToBytes: number): Promise<ReceivedBody>;
  /** The body of a small request as text, verified. */
  receiveText(): Promise<string>;
}

/** A call about a bucket that exists, or a key in it. The object need not exist. */
export interface Call extends ServiceCall {
  readonly bucket: Bucket;
  /** Empty in a call about the bucket. */
  readonly key: string;
}

/** An operation as a value: the server is a list of these. */
export type Operation = {
  /** As in the API reference: `GetObject`. */
  readonly name: string;
  readonly method: string;
  /** The query parameter that selects the operation (`uploads`); empty: none of the known ones. */
  readonly query: string;
  /** Required before the handler runs; null if the handler authorizes itself. */
  readonly action: string | null;
  /** Whether the request names a source to copy. */
  readonly isCopy: boolean;
} & (
  | {
      /** The service as a whole, or a bucket that need not exist. */
      readonly level: 'service' | 'new-bucket';
      readonly run: (call: ServiceCall) => Promise<Answer> | Answer;
    }
  | {
      readonly level: 'bucket' | 'object';
      readonly run: (call: Call) => Promise<Answer> | Answer;
    }
);

/** Makes the operations of a level. By default an operation has the permission of its name. */
const at =
  (level: 'bucket' | 'object') =>
  (
    method: string,
    query: string,
    name: string,
    run: (call: Call) => Promise<Answer> | Answer,
    action: string | null = `s3:${name}`,
  ): Operation => ({ level, method, query, name, action, isCopy: name.includes('Copy'), run });

/** Makes an operation on a bucket. */
export const bucket = at('bucket');

/** Makes an operation on an object. */
export const object = at('object');
