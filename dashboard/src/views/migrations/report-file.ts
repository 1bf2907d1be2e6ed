import { download } from '../../parts/download.ts';

/** Lines are written in batches of so many characters. */
const BATCH_CHARACTERS = 1 << 18;
const MEDIA_TYPE = 'application/x-ndjson';

/** The destination of a report. Opened again, it begins anew. */
export interface ReportFile {
  open(): Promise<ReportWriter>;
}

interface ReportWriter {
  write(text: string): Promise<void>;
  /** The file is complete. */
  close(): Promise<void>;
  /** Nothing is kept. */
  abort(): Promise<void>;
}

/** The part of the File System Access API that not every browser has. */
interface FilePicker {
  showSaveFilePicker?(options: {
    suggestedName: string;
    types: { description: string; accept: Record<string, string[]> }[];
  }): Promise<FileSystemFileHandle>;
}

const picker: FilePicker = window as FilePicker;

/**
 * Whether a report goes to the disk while it arrives; otherwise it is held in memory until its end.
 */
export function canStreamToDisk(): boolean {
  return picker.showSaveFilePicker !== undefined;
}

/** Asks the reader for a file, if the browser can. Null if the reader cancels. */
export async function chooseReportFile(name: string): Promise<ReportFile | null> {
  if (!picker.showSaveFilePicker) return memoryFile(name);
  try {
    const handle = await picker.showSaveFilePicker({
      suggestedName: name,
      types: [{ description: 'JSON lines', accept: { [MEDIA_TYPE]: ['.ndjson'] } }],
    });
    return { open: async () => await handle.createWritable() };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
}

function memoryFile(name: string): ReportFile {
  return {
    async open() {
      let parts: Blob[] = [];
      return {
        write: async (text) => void parts.push(new Blob([text])),
        close: async () => download(name, new Blob(parts, { type: MEDIA_TYPE })),
        abort: async () => void (parts = []),
      };
    },
  };
}

/** @returns whether the report is complete: its last line sums up what has ended */
export async function writeReport<Line>(
  file: ReportFile,
  lines: AsyncIterable<Line>,
  isEnd: (line: Line) => boolean,
): Promise<boolean> {
  const writer = await file.open();
  try {
    let batch = '';
    let isComplete = false;
    for await (const line of lines) {
      batch += `${JSON.stringify(line)}\n`;
      isComplete = isEnd(line);
      if (batch.length < BATCH_CHARACTERS) continue;
      await writer.write(batch);
      batch = '';
    }
    await writer.write(batch);
    await writer.close();
    return isComplete;
  } catch (error) {
    await writer.abort();
    throw error;
  }
}
