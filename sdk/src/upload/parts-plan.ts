/** How a file is divided into parts: all are equal but the last. */
export interface PartsPlan {
  fileId: string;
  /** Of the whole file. */
  sizeBytes: number;
  partSizeBytes: number;
  partCount: number;
}

/** The size of one part, in bytes. */
export function partSizeOf(plan: PartsPlan, partNumber: number): number {
  const { sizeBytes, partSizeBytes, partCount } = plan;
  if (partNumber < partCount) return partSizeBytes;
  return sizeBytes - (partCount - 1) * partSizeBytes;
}

/** The numbers of the parts that are not held, ascending. */
export function missingParts(plan: PartsPlan, held: ReadonlySet<number>): number[] {
  return Array.from({ length: plan.partCount }, (_, index) => index + 1).filter(
    (partNumber) => !held.has(partNumber),
  );
}

/** The size of the held parts together, in bytes. */
export function heldBytes(plan: PartsPlan, held: ReadonlySet<number>): number {
  return [...held].reduce((sum, partNumber) => sum + partSizeOf(plan, partNumber), 0);
}
