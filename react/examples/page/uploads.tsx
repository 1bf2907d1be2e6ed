import { type FileState, useUpload } from '@storage-routing/react';
import { uploadCalls } from './upload-calls';

export function Uploads() {
  const uploads = useUpload(uploadCalls);
  const { upload, progress, status, error, cancel, resume } = uploads;
  return (
    <>
      <h1>Uploads</h1>
      <label>
        Choose files{' '}
        <input
          type="file"
          multiple
          onChange={({ currentTarget }) => {
            upload(currentTarget.files ?? []);
            currentTarget.value = '';
          }}
        />
      </label>
      <p>
        <progress aria-label="All files" value={progress} />
        <output>
          {status}, {Math.floor(progress * 100)} %
        </output>
      </p>
      <button onClick={() => cancel()} disabled={status !== 'uploading'}>
        Cancel all
      </button>{' '}
      <button
        onClick={() => resume()}
        disabled={!uploads.files.some(({ status }) => canResume(status))}
      >
        Resume all
      </button>
      {error !== undefined && <p role="alert">Not every file was uploaded.</p>}
      <ul>
        {uploads.files.map((file) => (
          <UploadRow key={file.id} file={file} uploads={uploads} />
        ))}
      </ul>
    </>
  );
}

interface RowProps {
  file: FileState;
  uploads: ReturnType<typeof useUpload>;
}

function UploadRow({ file, uploads: { cancel, resume, remove } }: RowProps) {
  const { id, status, progress, error } = file;
  const { name } = file.file;
  const isRunning = status === 'waiting' || status === 'uploading';
  return (
    <li>
      <span>{name}</span>
      <progress aria-label={name} value={progress} />
      <span>
        {status}, {Math.floor(progress * 100)} %
      </span>
      <button onClick={() => cancel(id)} disabled={!isRunning}>
        Cancel
      </button>
      <button onClick={() => resume(id)} disabled={!canResume(status)}>
        Resume
      </button>
      <button onClick={() => remove(id)} disabled={isRunning}>
        Remove
      </button>
      {error !== undefined && <p>{error.message}</p>}
    </li>
  );
}

function canResume(status: FileState['status']): boolean {
  return status === 'error' || status === 'cancelled';
}
