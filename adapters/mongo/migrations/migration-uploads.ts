import type { Collection, Db } from 'mongodb';

/** A multipart upload that a migration has begun at its target. */
export interface MigrationUpload {
  readonly targetKey: string;
  readonly uploadId: string;
  /** The ETag of the object whose parts it takes. */
  readonly sourceEtag: string;
}

/** A part that the target has confirmed. */
export interface UploadedPart {
  /** From 1. */
  readonly partNumber: number;
  /** As the target answered it. */
  readonly etag: string;
  /** The digest of the bytes that were sent, in lower-case hex. */
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

const toId = (migrationId: string, uploadId: string) => `${migrationId}/${uploadId}`;

/**
 * The multipart uploads that a migration has begun and neither completed nor aborted, of all its
 * rounds, and their confirmed parts. Only these are resumed, and only these are aborted at its end.
 * What remains after that, the target has refused to abort.
 */
export class MigrationUploads {
  readonly #uploads: Collection<UploadDocument>;

  constructor(db: Db) {
    this.#uploads = db.collection('migrationUploads');
  }

  /** Before the first part. */
  async note(migrationId: string, upload: MigrationUpload, now: Date): Promise<void> {
    await this.#uploads.updateOne(
      { _id: toId(migrationId, upload.uploadId) },
      { $setOnInsert: { migrationId, ...upload, at: now, parts: {} } },
      { upsert: true },
    );
  }

  /** Does nothing for an upload that is no longer noted. */
  async notePart(
    migrationId: string,
    uploadId: string,
    { partNumber, ...part }: UploadedPart,
  ): Promise<void> {
    await this.#uploads.updateOne(
      { _id: toId(migrationId, uploadId) },
      { $set: { [`parts.${partNumber}`]: part } },
    );
  }

  /** The oldest first. */
  async ofKey(migrationId: string, targetKey: string): Promise<UploadWithParts[]> {
    const documents = await this.#uploads
      .find({ migrationId, targetKey })
      .sort({ at: 1 })
      .toArray();
    return documents.map(({ uploadId, sourceEtag, parts }) => ({
      targetKey,
      uploadId,
      sourceEtag,
      parts: Object.entries(parts).map(([number, { etag, md5, isProven }]) => {
        return { partNumber: Number(number), etag, md5, isProven };
      }),
    }));
  }

  async ofMigration(migrationId: string): Promise<MigrationUpload[]> {
    const documents = this.#uploads.find({ migrationId }, { projection: { parts: 0 } });
    return (await documents.toArray()).map(({ targetKey, uploadId, sourceEtag }) => {
      return { targetKey, uploadId, sourceEtag };
    });
  }

  async remove(migrationId: string, uploadId: string): Promise<void> {
    await this.#uploads.deleteOne({ _id: toId(migrationId, uploadId) });
  }
}
