/** The workflows of all task queues; the bundler's entry point. */
export { deliver } from './deliver.ts';
export { migration } from './migration.ts';
export { release } from './release.ts';
export { drill } from './drill.ts';
export { relocation } from './relocation.ts';
export { scan } from './scan.ts';
export {
  reconcileQuota,
  sweepMigrations,
  sweepPrices,
  sweepScans,
  sweepUploads,
  sweepWebhooks,
} from './maintenance.ts';
export { upload } from './upload.ts';
