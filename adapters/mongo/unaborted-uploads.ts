import type { Db } from 'mongodb';

/** A multipart upload at a migration's target whose abort has failed. */
export interface UnabortedUpload {
  readonly targetKey: string;
  readonly uploadId: string;
}

interface UploadDocument extends UnabortedUpload {
  readonly _id: string;
  readonly migrationId: string;
  readonly at: Date;
}

/**
 * The multipart uploads that a migration still has to abort. What remains after its end, the target
 * has refused to abort.
 */
export interface UnabortedUploads {
  note(migrationId: string, upload: UnabortedUpload, now: Date): Promise<void>;
  ofMigration(migrationId: string): Promise<UnabortedUpload[]>;
  remove(migrationId: string, uploadId: string): Promise<void>;
}

export function createUnabortedUploads(db: Db): UnabortedUploads {
  const uploads = db.collection<UploadDocument>('unabortedUploads');
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
