import { DefaultFailureConverter } from '@temporalio/common';
import { workflowFeatures } from './features.ts';

/**
 * Moves the message and the stack of each failure into a payload, so that the payload codec
 * encrypts them. Temporal loads this file by its path: in each process that encrypts payloads, and
 * in every workflow sandbox, where the worker's features decide.
 */
export const failureConverter = new DefaultFailureConverter({
  encodeCommonAttributes: workflowFeatures()?.encodesFailures ?? true,
});
