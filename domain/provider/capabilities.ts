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
}
