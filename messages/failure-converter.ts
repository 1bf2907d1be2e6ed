import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Moves the message and the stack of each failure into a payload, so that the payload codec encrypts
 * them. Temporal loads this file by its path, in each process and in the workflow sandbox.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
