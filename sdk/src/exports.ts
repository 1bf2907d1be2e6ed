export * from './http/api-types.ts';
export type { StorageRoutingClient } from './client.ts';
export type { Download } from './download.ts';
export {
  type ClientErrorCode,
  type ErrorCode,
  type ErrorDetail,
  StorageRoutingError,
} from './http/errors.ts';
export * from './shared/index.ts';
export { formatUsd, withFixedUsd, type WithFixedUsd } from './http/money.ts';
export type { Account } from './resources/account.ts';
export type { Billing, CheckoutRequest } from './resources/billing.ts';
export type { Analytics } from './resources/analytics.ts';
export type {
  DeleteFileResult,
  Files,
  InitRequest,
  InitResult,
  MultipartInitRequest,
  MultipartInitResult,
} from './resources/files.ts';
export type { ApiKey, Keys } from './resources/keys.ts';
export type {
  ApprovalRequest,
  Migrations,
  MigrationsOptions,
  ReleasedObjectsOptions,
  ReportLine,
  RoundRequest,
  WaitForMigrationOptions,
  WaitForReleaseOptions,
} from './resources/migrations.ts';
export type { ListPartsOptions, Parts } from './resources/parts.ts';
export { onlyRegion } from './resources/providers.ts';
export type {
  Jurisdiction,
  Providers,
  ProviderTestOptions,
  SaveProviderRequest,
} from './resources/providers.ts';
export type { DrillRequest, Drills, DrillScheduleRule } from './resources/drills.ts';
export type { RelocationLine, RelocationRequest, Relocations } from './resources/relocations.ts';
export type {
  ConnectRequest,
  DismissRequest,
  RecommendationsOptions,
  ReportFormat,
  ReportOptions,
  Scanner,
  ScheduleRule,
  WaitOptions,
} from './resources/scanner.ts';
export type { WebhookRequest, Webhooks } from './resources/webhooks.ts';
export type { ClientOptions } from './http/settings.ts';
export type { ByteStream, UploadSource } from './source/types.ts';
export type { PagedList } from './http/paged.ts';
export type { CallOptions, PageOptions, Retry } from './http/transport.ts';
export {
  createFileUpload,
  type FileToUpload,
  type FileUpload,
  type StartedUpload,
  type UploadCalls,
} from './upload/file-upload.ts';
export type { OnProgress, UploadProgress } from './upload/progress.ts';
export type { Put, PutOptions, PutTarget } from './upload/put-file.ts';
export type { ResumeOptions } from './upload/resume.ts';
export type { StartedFile, TransferOptions, UploadRequest, UploadResult } from './upload/upload.ts';
