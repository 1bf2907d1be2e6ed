import { notify } from '../http/errors.ts';

/** Progress of an upload. */
export interface UploadProgress {
  /**
   * Bytes passed to the network. In parts it includes the parts in flight, and falls if one of them
   * has to be sent again.
   */
  sentBytes: number;
  totalBytes: number;
  /**
   * Bytes of the parts that the store has confirmed, those of an earlier run included; of these it
   * falls if a part turns out to differ from the source. Undefined for an upload by a single PUT,
   * of which a store confirms nothing before its end.
   */
  confirmedBytes?: number;
}

export type OnProgress = (progress: UploadProgress) => void;

/** The progress of an upload in parts. */
export interface PartsProgress {
  /** Bytes of a part that were passed to the network in its current attempt. */
  moved(partNumber: number, sentBytes: number): void;
  /** The current attempt of a part has failed. */
  failed(partNumber: number): void;
  confirmed(partNumber: number, sizeBytes: number): void;
  /** A part at the store has other bytes than the source, and has to be sent. */
  lost(sizeBytes: number): void;
}

/** Reports at once what is at the store already. */
export function createPartsProgress(
  onProgress: OnProgress | undefined,
  totalBytes: number,
  heldBytes: number,
  requestId: string,
): PartsProgress {
  const inFlight = new Map<number, number>();
  let confirmedBytes = heldBytes;
  const report = (): void => {
    const sentBytes = [...inFlight.values()].reduce((sum, bytes) => sum + bytes, confirmedBytes);
    notify('onProgress', onProgress, { sentBytes, totalBytes, confirmedBytes }, requestId);
  };
  report();
  return {
    moved(partNumber, sentBytes) {
      inFlight.set(partNumber, sentBytes);
      report();
    },
    failed(partNumber) {
      inFlight.delete(partNumber);
    },
    confirmed(partNumber, sizeBytes) {
      inFlight.delete(partNumber);
      confirmedBytes += sizeBytes;
      report();
    },
    lost(sizeBytes) {
      confirmedBytes -= sizeBytes;
    },
  };
}
