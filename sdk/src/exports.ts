export type { StorageRoutingClient } from './client.ts';
export type { Download } from './download.ts';
export {
  type ClientErrorCode,
  type ErrorCode,
  type ErrorDetail,
  type ServiceErrorCode,
  StorageRoutingError,
} from './http/errors.ts';
export { formatUsd, withFixedUsd, type WithFixedUsd } from './http/money.ts';
export type { Account, Health, Me } from './resources/account.ts';
export type { Billing, Checkout, CheckoutRequest, Subscription } from './resources/billing.ts';
export type {
  Analytics,
  AnalyticsMonthly,
  AnalyticsSummary,
  MonthFigures,
  ProviderFigures,
  RoutedFile,
  RoutedFileDecision,
  RoutingHistoryPage,
} from './resources/analytics.ts';
export type {
  CompleteResult,
  DeleteFileResult,
  FileInfo,
  Files,
  InitRequest,
  InitResult,
  MultipartInitRequest,
  MultipartInitResult,
  Priority,
  Provider,
  RoutingDecision,
} from './resources/files.ts';
export { PROVIDERS } from './resources/files.ts';
export { JURISDICTIONS } from './resources/providers.ts';
export type {
  ApiKey,
  ApiKeyInfo,
  Keys,
  RegeneratedApiKey,
  RotatedApiKey,
} from './resources/keys.ts';
export type {
  ApprovedMigration,
  ListedMigration,
  Migration,
  MigrationStatus,
  MigrationSummary,
  NotCarried,
  ReportedObject,
  ReportLine,
} from './resources/migration.ts';
export type {
  ApprovalRequest,
  MigrationsOptions,
  Migrations,
  MigrationsPage,
  WaitForMigrationOptions,
} from './resources/migrations.ts';
export type {
  HeldPart,
  ListPartsOptions,
  Parts,
  PartUrl,
  PartUrlsResult,
  UploadUrlResult,
} from './resources/parts.ts';
export type {
  ProviderInfo,
  Providers,
  ProviderTest,
  ProviderTestOptions,
  Jurisdiction,
  SaveProviderRequest,
} from './resources/providers.ts';
export type {
  DecisionReport,
  Finding,
  PlacementOption,
  Quote,
  HowTo,
  Recommendation,
  Waiting,
  ScannedBucket,
  ScanResult,
  Selector,
} from './resources/scan-result.ts';
export type {
  Connection,
  ConnectRequest,
  BucketProgress,
  ListedRecommendation,
  RecommendationDetail,
  RecommendationsOptions,
  RecommendationsPage,
  ScanLine,
  Scanner,
  StartedScan,
  WaitOptions,
} from './resources/scanner.ts';
export type { ClientOptions } from './http/settings.ts';
export type { ByteStream, UploadSource } from './source/types.ts';
export type { PagedList } from './http/paged.ts';
export type { CallOptions, PageOptions, Retry } from './http/transport.ts';
export type { OnProgress, UploadProgress } from './upload/progress.ts';
export type { Put, PutOptions, PutTarget } from './upload/put-file.ts';
export type { ResumeOptions } from './upload/resume.ts';
export type { StartedFile, TransferOptions, UploadRequest, UploadResult } from './upload/upload.ts';
