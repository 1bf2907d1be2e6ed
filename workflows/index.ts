/** Everything that a worker can run. The bundler starts here. */
export { reconcileQuota, sweepUploads } from './upkeep.ts';
export { upload } from './upload.ts';
