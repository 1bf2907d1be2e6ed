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

/** The numbers of all parts, ascending. */
export function partNumbersOf({ partCount }: PartsPlan): number[] {
  return Array.from({ length: partCount }, (_, index) => index + 1);
}
