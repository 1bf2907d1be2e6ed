import { fileURLToPath } from 'node:url';
import type { DataConverter, PayloadCodec } from '@temporalio/common';

const EXTENSION = import.meta.filename.endsWith('.ts') ? 'ts' : 'js';

/** The module that makes messages and stacks of failures part of a payload. */
export const FAILURE_CONVERTER = fileURLToPath(
  new URL(`../../messages/failure-converter.${EXTENSION}`, import.meta.url),
);

/** How clients and workers convert what Temporal stores. */
export function createDataConverter(codec: PayloadCodec, encrypts: boolean): DataConverter {
  return {
    payloadCodecs: [codec],
    // Without encryption the UI would show no message.
    ...(encrypts ? { failureConverterPath: FAILURE_CONVERTER } : {}),
  };
}
