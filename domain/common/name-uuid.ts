import { createHash } from 'node:crypto';

/** A name-based UUID (RFC 9562, version 5): the same name in the same UUID gives the same one. */
export function nameUuid(within: string, name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(within.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
