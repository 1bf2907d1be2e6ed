/** What a store was measured to do. Where it was not measured, nothing of it is relied on. */
export interface StoreCapabilities {
  /** Refuses `If-None-Match: *` for a key that is there. */
  readonly conditionalPut: boolean;
  /** Refuses a delete whose `If-Match` is not the object's ETag. */
  readonly conditionalDelete: boolean;
  /** Refuses bytes that differ from their `Content-MD5`. */
  readonly contentMd5: boolean;
  /** Lists keys in the order of their UTF-8 bytes. */
  readonly listOrder: boolean;
  /** Refuses a PUT whose `If-Match` is not the ETag of the object that is there. */
  readonly conditionalOverwrite: boolean;
  /** Refuses to complete a multipart upload with `If-None-Match: *` for a key that is there. */
  readonly conditionalComplete: boolean;
  /** Holds `k` and `k/x` at once. */
  readonly keyAndFolder: boolean;
  /** Refuses an upload without a digest, as a bucket with default Object Lock retention does. */
  readonly objectLock: boolean;
}

/** What a target was found to do: what a test or a canary has measured, and what its ETags are. */
export interface TargetCapabilities extends StoreCapabilities {
  /**
   * Its ETags are no MD5s, as where a key of KMS encrypts: what is written is proven by its
   * `Content-MD5`, which the store has to check.
   */
  readonly opaqueEtags: boolean;
}

/** Whether each PUT and part at the target has to carry a digest: to be taken, or to be proven. */
export function needsDigests({
  objectLock = false,
  opaqueEtags = false,
}: Partial<TargetCapabilities>): boolean {
  return objectLock || opaqueEtags;
}
