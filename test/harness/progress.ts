import type { Progress } from '../../activities/common/progress.ts';

/** For activities that run outside a worker. */
export const unreported: Progress = {
  report: () => undefined,
  requireAlive: () => undefined,
  reportWhile: (wait) => wait,
};
