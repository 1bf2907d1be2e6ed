import { CONTENT_KINDS, type ContentKind } from './bands.ts';

const EXTENSIONS: Readonly<Record<Exclude<ContentKind, 'other'>, string>> = {
  image:
    'jpg jpeg jpe jfif png gif webp avif heic heif bmp tif tiff svg ico psd ai eps raw cr2 cr3 nef arw dng orf rw2 jp2 jxl exr tga dcm',
  video:
    'mp4 m4v mov avi mkv webm mpg mpeg mpe wmv flv f4v 3gp 3g2 ts m2ts mts vob ogv mxf m3u8 mpd',
  audio: 'mp3 wav flac aac ogg oga opus m4a m4b wma aif aiff amr mid midi caf ape',
  document:
    'pdf doc docx docm dot dotx xls xlsx xlsm xlsb ppt pptx pptm odt ods odp rtf txt md rst tex epub mobi pages numbers key html htm xhtml css eml msg',
  archive:
    'zip tar gz tgz bz2 tbz tbz2 xz txz zst lz4 lzma 7z rar cab iso dmg jar war ear rpm deb apk br z',
  log: 'log logs out err trace pcap pcapng evtx clf',
  data: 'csv tsv json jsonl ndjson json5 geojson xml yaml yml toml parquet pq avro orc arrow feather proto pb db sqlite sqlite3 h5 hdf5 hdf nc npy npz pkl pickle mat rds rdata sas7bdat dta sav tfrecord tfrecords pt pth onnx safetensors ckpt bin dat shp kml las laz fasta fastq fa fq bam cram vcf index',
  backup:
    'bak backup bkp bkf old dump sql pgdump mdf ldf trn vbk vib vmdk vhd vhdx qcow2 ova img snap snapshot dmp rdb wal aof tib mrimg gho',
};

const INDEX_OF_OTHER = CONTENT_KINDS.indexOf('other');

const INDEX_BY_EXTENSION: ReadonlyMap<string, number> = new Map(
  Object.entries(EXTENSIONS).flatMap(([kind, extensions]) =>
    extensions
      .split(' ')
      .map((extension) => [extension, CONTENT_KINDS.indexOf(kind as ContentKind)] as const),
  ),
);

const LONGEST_EXTENSION = Math.max(...[...INDEX_BY_EXTENSION.keys()].map(({ length }) => length));

/**
 * The index into `CONTENT_KINDS` of a key's extension, in any case: the text after the last dot of
 * the last segment, unless that dot is its first character.
 *
 * | key             | kind      |
 * |-----------------|-----------|
 * | `a/b.JPG`       | `image`   |
 * | `logs/x.log.gz` | `archive` |
 * | `v1.2/report`   | `other`   |
 * | `a/.csv`        | `other`   |
 * | `a.`            | `other`   |
 */
export function contentKindIndex(key: string): number {
  const dot = key.lastIndexOf('.');
  const length = key.length - dot - 1;
  if (dot <= 0 || length === 0 || length > LONGEST_EXTENSION) return INDEX_OF_OTHER;
  if (key.charCodeAt(dot - 1) === SLASH) return INDEX_OF_OTHER;
  // After a dot of an earlier segment the text contains a slash, and no extension does.
  const extension = key.slice(dot + 1);
  return (
    INDEX_BY_EXTENSION.get(extension) ??
    INDEX_BY_EXTENSION.get(extension.toLowerCase()) ??
    INDEX_OF_OTHER
  );
}

const SLASH = 0x2f;
