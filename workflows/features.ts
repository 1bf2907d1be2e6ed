/**
 * Settings of a worker that workflow code needs but cannot read from the environment. The worker
 * prepends them to the bundle, so that one bundle serves every worker.
 */
export interface WorkflowFeatures {
  /** Failures hold message and stack as a payload, which the payload codec encrypts. */
  readonly encodesFailures: boolean;
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
