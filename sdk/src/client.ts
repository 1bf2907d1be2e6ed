import { type Download, download } from './download.ts';
import { type Account, createAccount } from './resources/account.ts';
import { type Analytics, createAnalytics } from './resources/analytics.ts';
import { type Billing, createBilling } from './resources/billing.ts';
import { createFiles, type Files } from './resources/files.ts';
import { type ApiKey, createApiKey, createKeys, type Keys } from './resources/keys.ts';
import { createMigrations, type Migrations } from './resources/migrations.ts';
import { createProviders, type Providers } from './resources/providers.ts';
import { createScanner, type Scanner } from './resources/scanner.ts';
import { type ClientOptions, settingsFrom } from './http/settings.ts';
import { type CallOptions, createTransport } from './http/transport.ts';
import { upload, type UploadRequest, type UploadResult } from './upload.ts';

/** The Storage Routing Service, as a program sees it. Every method rejects with `StorageRoutingError` and nothing else. */
export interface StorageRoutingClient extends Files, Account {
  /** Uploads a file, bytes or a stream to the store that the service chooses: init, PUT, complete. */
  upload(request: UploadRequest): Promise<UploadResult>;
  /** A file's bytes, straight from the store. */
  download(fileId: string, options?: CallOptions): Promise<Download>;
  providers: Providers;
  apiKey: ApiKey;
  keys: Keys;
  scanner: Scanner;
  migrations: Migrations;
  analytics: Analytics;
  billing: Billing;
}

/**
 * Makes a client. It sends nothing until a method is called, and holds nothing that has to be closed.
 *
 * @throws StorageRoutingError `invalid_argument` for options that cannot be meant.
 */
export function createClient(options: ClientOptions): StorageRoutingClient {
  const settings = settingsFrom(options);
  const transport = createTransport(settings);
  const files = createFiles(transport);
  return {
    ...files,
    ...createAccount(transport),
    upload: (request) => upload(settings, files, request),
    download: (fileId, callOptions = {}) => download(settings, files, fileId, callOptions),
    providers: createProviders(transport),
    apiKey: createApiKey(transport),
    keys: createKeys(transport),
    scanner: createScanner(transport),
    migrations: createMigrations(transport),
    analytics: createAnalytics(transport),
    billing: createBilling(transport),
  };
}
