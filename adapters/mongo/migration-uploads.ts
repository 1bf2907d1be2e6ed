import type { Db } from 'mongodb';

/** A multipart upload that a migration has begun at its target. */
export interface MigrationUpload {
  readonly targetKey: string;
  readonly uploadId: string;
}

interface UploadDocument extends MigrationUpload {
  readonly _id: string;
  readonly migrationId: string;
  readonly at: Date;
}

/**
 * The multipart uploads that a migration has begun and neither completed nor aborted, of all its rounds. Only these are
 * aborted at its end. What remains after that, the target has refused to abort.
 */
export interface MigrationUploads {
  /** Before the first part. */
  note(migrationId: string, upload: MigrationUpload, now: Date): Promise<void>;
  ofMigration(migrationId: string): Promise<MigrationUpload[]>;
  remove(migrationId: string, uploadId: string): Promise<void>;
}

export function createMigrationUploads(db: Db): MigrationUploads {
  const uploads = db.collection<UploadDocument>('migrationUploads');
  const toId = (migrationId: string, uploadId: string) => `${migrationId}/${uploadId}`;

  return {
    async note(migrationId, upload, now) {
      await uploads.updateOne(
        { _id: toId(migrationId, upload.uploadId) },
        { $setOnInsert: { migrationId, ...upload, at: now } },
        { upsert: true },
      );
    },

    async ofMigration(migrationId) {
      const found = await uploads.find({ migrationId }).toArray();
      return found.map(({ targetKey, uploadId }) => ({ targetKey, uploadId }));
    },

    async remove(migrationId, uploadId) {
      await uploads.deleteOne({ _id: toId(migrationId, uploadId) });
    },
  };
}
