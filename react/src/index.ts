export type { FileState, FileStatus } from './file-state.ts';
export { useUpload, type UseUpload } from './use-upload.ts';
export {
  type FileToUpload,
  type StartedUpload,
  StorageRoutingError,
  type UploadCalls,
} from '@storage-routing/client';
