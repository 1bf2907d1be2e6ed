/** The workflows of all task queues; the bundler's entry point. */
export { sweepApprovals } from './approvals.ts';
export { migration } from './migration.ts';
export { scan } from './scan.ts';
export { reconcileQuota, sweepUploads } from './maintenance.ts';
export { upload } from './upload.ts';
