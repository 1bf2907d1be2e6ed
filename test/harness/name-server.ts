import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { join } from 'node:path';

/** What a name server answers: the IPv4 addresses of names. Of other names, and for other questions, it answers nothing. */
export type Names = Readonly<Record<string, string>>;

const HEADER_BYTES = 12;
const QUESTION_A = 1;

/** A name server on this machine, and what a process needs to ask it instead of the machine's own. */
export async function startNameServer(names: Names) {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const found = type === QUESTION_A ? names[name] : undefined;
    if (found !== undefined) socket.send(answer(query.subarray(0, end), found), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const preload = join(import.meta.dirname, 'name-server.cjs');
  return {
    environment: {
      NODE_OPTIONS: `--require ${preload}`,
      TEST_NAME_SERVER: `127.0.0.1:${socket.address().port}`,
    },
    close: () => socket.close(),
  };
}

/** RFC 1035, section 4.1.2: labels with their lengths, a zero, the type and the class. */
function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** One record that points at the name of the question. */
function answer(question: Buffer, address: string): Buffer {
  const head = Buffer.from(question);
  // A response without an error; one question, one answer, nothing else.
  head.writeUInt16BE(0x8180, 2);
  for (const [count, at] of [1, 1, 0, 0].map((each, index) => [each, 4 + 2 * index] as const))
    head.writeUInt16BE(count, at);
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, QUESTION_A, 0, 1, 0, 0, 0, 60, 0, 4]);
  return Buffer.concat([head, record, Buffer.from(address.split('.').map(Number))]);
}
