import type { Db } from 'mongodb';

/** A multipart upload that a migration has begun at its target. */
export interface MigrationUpload {
  readonly targetKey: string;
  readonly uploadId: string;
  /** Of the object whose parts it takes. */
  readonly sourceEtag: string;
}

/** A part that the target has confirmed. */
export interface UploadedPart {
  /** From 1. */
  readonly partNumber: number;
  /** As the target answered it. */
  readonly etag: string;
  /** Of the bytes that were sent, in lower-case hex. */
  readonly md5: string;
  /** The answer, or the digest that it was sent with, shows that the target has these bytes. */
  readonly isProven: boolean;
}

export interface UploadWithParts extends MigrationUpload {
  readonly parts: readonly UploadedPart[];
}

interface UploadDocument extends MigrationUpload {
  readonly _id: string;
  readonly migrationId: string;
  readonly at: Date;
  /** By their numbers. */
  readonly parts: Readonly<Record<string, Omit<UploadedPart, 'partNumber'>>>;
}

/**
 * The multipart uploads that a migration has begun and neither completed nor aborted, of all its rounds, and their
 * confirmed parts. Only these are resumed, and only these are aborted at its end. What remains after that, the
 * target has refused to abort.
 */
export interface MigrationUploads {
  /** Before the first part. */
  note(migrationId: string, upload: MigrationUpload, now: Date): Promise<void>;
  /** Does nothing for an upload that is not noted any more. */
  notePart(migrationId: string, uploadId: string, part: UploadedPart): Promise<void>;
  /** The oldest first. */
  ofKey(migrationId: string, targetKey: string): Promise<UploadWithParts[]>;
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
        { $setOnInsert: { migrationId, ...upload, at: now, parts: {} } },
        { upsert: true },
      );
    },

    async notePart(migrationId, uploadId, { partNumber, ...part }) {
      await uploads.updateOne(
        { _id: toId(migrationId, uploadId) },
        { $set: { [`parts.${partNumber}`]: part } },
      );
    },

    async ofKey(migrationId, targetKey) {
      const found = await uploads.find({ migrationId, targetKey }).sort({ at: 1 }).toArray();
      return found.map(({ uploadId, sourceEtag, parts }) => ({
        targetKey,
        uploadId,
        sourceEtag,
        parts: Object.entries(parts).map(([number, { etag, md5, isProven }]) => {
          return { partNumber: Number(number), etag, md5, isProven };
        }),
      }));
    },

    async ofMigration(migrationId) {
      const found = uploads.find({ migrationId }, { projection: { parts: 0 } });
      return (await found.toArray()).map(({ targetKey, uploadId, sourceEtag }) => {
        return { targetKey, uploadId, sourceEtag };
      });
    },

    async remove(migrationId, uploadId) {
      await uploads.deleteOne({ _id: toId(migrationId, uploadId) });
    },
  };
}
