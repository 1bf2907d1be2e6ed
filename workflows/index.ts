/** Everything that a worker can run. The bundler starts here. */
export { sweepApprovals } from './approvals.ts';
export { migration } from './migration.ts';
export { scan } from './scan.ts';
export { reconcileQuota, sweepUploads } from './maintenance.ts';
export { upload } from './upload.ts';
