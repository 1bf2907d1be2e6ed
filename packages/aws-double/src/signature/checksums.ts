import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

import { unreachable } from '../wire/unreachable.ts';

/** The algorithms that the double computes itself. CRC64NVME is accepted and kept, not verified. */
export type ChecksumAlgorithm = 'crc32' | 'crc32c' | 'sha1' | 'sha256';

/** A checksum over a stream. */
export interface RunningChecksum {
  update(chunk: Buffer): void;
  /** Base64, as in the `x-amz-checksum-*` headers. */
  digest(): string;
}

const PREFIX = 'x-amz-checksum-';

/** The algorithm that a header such as `x-amz-checksum-crc32` names; null where it is not computed here. */
export function checksumAlgorithm(header: string): ChecksumAlgorithm | null {
  const name = header.toLowerCase().slice(PREFIX.length);
  if (!header.toLowerCase().startsWith(PREFIX)) return null;
  switch (name) {
    case 'crc32':
    case 'crc32c':
    case 'sha1':
    case 'sha256':
      return name;
    default:
      return null;
  }
}

/** Starts a checksum. */
export function startChecksum(algorithm: ChecksumAlgorithm): RunningChecksum {
  switch (algorithm) {
    case 'crc32':
      return startCrc((chunk, value) => crc32(chunk, value));
    case 'crc32c':
      return startCrc(crc32c);
    case 'sha1':
    case 'sha256': {
      const hash = createHash(algorithm);
      return { update: (chunk) => void hash.update(chunk), digest: () => hash.digest('base64') };
    }
    default:
      return unreachable(algorithm);
  }
}

function startCrc(step: (chunk: Buffer, value: number) => number): RunningChecksum {
  let value = 0;
  return {
    update(chunk) {
      value = step(chunk, value);
    },
    digest() {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value >>> 0);
      return bytes.toString('base64');
    },
  };
}

// Castagnoli's polynomial, bits reversed. Source: RFC 3720, appendix B.4.
const CRC32C_TABLE = Uint32Array.from({ length: 256 }, (_unused, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value >>> 0;
});

function crc32c(chunk: Buffer, previous: number): number {
  let value = ~previous;
  for (const byte of chunk) value = (CRC32C_TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return ~value >>> 0;
}
