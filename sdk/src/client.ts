import { type Download, download } from './download.ts';
import { type Account, createAccount } from './resources/account.ts';
import { type Analytics, createAnalytics } from './resources/analytics.ts';
import { type Billing, createBilling } from './resources/billing.ts';
import type { CompleteResult } from './http/api-types.ts';
import { createFiles, type Files } from './resources/files.ts';
import { type ApiKey, createApiKey, createKeys, type Keys } from './resources/keys.ts';
import { createMigrations, type Migrations } from './resources/migrations.ts';
import { createProviders, type Providers } from './resources/providers.ts';
import { createDrills, type Drills } from './resources/drills.ts';
import { createRelocations, type Relocations } from './resources/relocations.ts';
import { createScanner, type Scanner } from './resources/scanner.ts';
import { createWebhooks, type Webhooks } from './resources/webhooks.ts';
import { CLOCK, type ClientOptions, type Clock, settingsFrom } from './http/settings.ts';
import { type CallOptions, createTransport } from './http/transport.ts';
import type { Platform } from './source/platform.ts';
import type { UploadSource } from './source/types.ts';
import { resume, type ResumeOptions } from './upload/resume.ts';
import { upload, type UploadRequest, type UploadResult } from './upload/upload.ts';

/** Client of the Storage Routing Service. Every method rejects with `StorageRoutingError` only. */
export interface StorageRoutingClient extends Files, Account {
  /** Uploads to the store that the service chooses: init, PUT or parts, complete. */
  upload(request: UploadRequest): Promise<UploadResult>;
  /** Resumes an interrupted upload: sends what the store does not hold, and completes the file. */
  resume(
    fileId: string,
    source: UploadSource['source'],
    options?: ResumeOptions,
  ): Promise<CompleteResult>;
  /** Streams a file's bytes directly from the store. */
  download(fileId: string, options?: CallOptions): Promise<Download>;
  providers: Providers;
  apiKey: ApiKey;
  keys: Keys;
  scanner: Scanner;
  migrations: Migrations;
  relocations: Relocations;
  drills: Drills;
  analytics: Analytics;
  billing: Billing;
  webhooks: Webhooks;
}

/** The caller's `fetch` makes every request. */
function choosePlatform({ fetch }: ClientOptions, platform: Platform): Platform {
  return fetch === undefined ? platform : { ...platform, wholePut: () => undefined };
}

/** @throws StorageRoutingError `invalid_argument` for invalid options. */
export function buildClient(
  options: ClientOptions,
  platform: Platform,
  clock: Clock = CLOCK,
): StorageRoutingClient {
  const settings = settingsFrom(options, clock);
  const transport = createTransport(settings);
  const files = createFiles(transport);
  const deps = { settings, files, platform: choosePlatform(options, platform) };
  return {
    ...files,
    ...createAccount(transport),
    upload: (request) => upload(deps, request),
    resume: (fileId, source, resumeOptions) => resume(deps, fileId, source, resumeOptions),
    download: (fileId, callOptions = {}) => download(settings, files, fileId, callOptions),
    providers: createProviders(transport),
    apiKey: createApiKey(transport),
    keys: createKeys(transport),
    scanner: createScanner(transport),
    migrations: createMigrations(transport),
    relocations: createRelocations(transport),
    drills: createDrills(transport),
    analytics: createAnalytics(transport),
    billing: createBilling(transport),
    webhooks: createWebhooks(transport),
  };
}
