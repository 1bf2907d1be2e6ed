/**
 * What a worker decides when it starts, and what code in the workflow sandbox cannot read from an
 * environment. The worker sets it in front of the script of the workflows, so that one bundle serves
 * every worker.
 */
export interface WorkflowFeatures {
  /** Failures hold message and stack as a payload, which the payload codec encrypts. */
  readonly encodesFailures: boolean;
  /** Workflows make spans. */
  readonly traced: boolean;
}

const GLOBAL = 'workflowFeatures';

/** The statement that sets the features for a script that follows it. */
export function setFeatures(features: WorkflowFeatures): string {
  return `globalThis.${GLOBAL} = ${JSON.stringify(features)};`;
}

/** Undefined outside the workflow sandbox. */
export function workflowFeatures(): WorkflowFeatures | undefined {
  return (globalThis as { readonly [GLOBAL]?: WorkflowFeatures })[GLOBAL];
}
