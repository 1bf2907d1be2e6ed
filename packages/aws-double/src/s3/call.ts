import type { Principal } from '../identity/directory.ts';
import type { Bodies, Body } from '../store/bodies.ts';
import type { Bucket, Buckets } from '../store/bucket.ts';
import type { WireRequest } from '../wire/request.ts';
import type { ReceivedBody } from './payload.ts';

/** A reply's body: none, text, or a byte range of an object. */
export type ReplyBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string; readonly contentType: string }
  | { readonly kind: 'object'; readonly body: Body; readonly start: number; readonly end: number };

/** A reply, before it is serialised. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReplyBody;
}

/** An authenticated request with the dependencies of its handler. */
export interface Call {
  readonly request: WireRequest;
  readonly principal: Principal;
  /** The region of the signature: that of the endpoint the client addresses. */
  readonly region: string;
  readonly nowMs: number;
  readonly buckets: Buckets;
  readonly bodies: Bodies;
  /** Throws `AccessDenied` unless the caller may do this. */
  authorize(action: string, target: Target): void;
  isAllowed(action: string, target: Target): boolean;
  /** Receives and verifies the body. A body above the limit is discarded; default: none is. */
  receive(keepUpToBytes?: number): Promise<ReceivedBody>;
  /** The body of a small request as text, verified. */
  receiveText(): Promise<string>;
}

/** The resource of an action. */
export interface Target {
  /** Null: the service as a whole. */
  readonly bucket: Pick<Bucket, 'name' | 'accountId' | 'settings'> | null;
  readonly key: string | null;
}

/** A call about a bucket that exists. */
export interface BucketCall extends Call {
  readonly bucket: Bucket;
}

/** A call about a key in a bucket that exists. The object need not. */
export interface ObjectCall extends BucketCall {
  readonly key: string;
}

/** The criteria that identify the operation of a request. */
interface OperationMatch {
  /** As in the API reference: `GetObject`. */
  readonly name: string;
  readonly method: string;
  /** The query parameter that selects the operation (`uploads`); null: none of the known ones. */
  readonly query: string | null;
  /** Required before the handler runs; null if the handler authorizes itself. */
  readonly action: string | null;
  /** A header that must be present, or absent. */
  readonly header?: { readonly name: string; readonly present: boolean };
}

/** An operation as a value: the server is a list of these. */
export type Operation = OperationMatch &
  (
    | { readonly level: 'service'; readonly run: (call: Call) => Promise<Reply> | Reply }
    | {
        readonly level: 'new-bucket';
        readonly run: (call: Call, name: string) => Promise<Reply> | Reply;
      }
    | { readonly level: 'bucket'; readonly run: (call: BucketCall) => Promise<Reply> | Reply }
    | { readonly level: 'object'; readonly run: (call: ObjectCall) => Promise<Reply> | Reply }
  );

/** A reply without a body. */
export function emptyReply(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers, body: { kind: 'none' } };
}

/** An XML reply. */
export function xmlReply(
  text: string,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Reply {
  return { status, headers, body: { kind: 'text', text, contentType: 'application/xml' } };
}
