import { readdir, readFile, readlink } from 'node:fs/promises';

/** What a process holds. Linux only. */
export interface ProcessUsage {
  /** Its connections to servers; the ones of its clients are left out. */
  readonly sockets: number;
  /** Its resident set. */
  readonly bytes: number;
}

const LISTEN = '0A';

export async function readUsage(pid: number): Promise<ProcessUsage> {
  const folder = `/proc/${pid}`;
  const [inodes, table, status] = await Promise.all([
    readSocketInodes(`${folder}/fd`),
    readFile(`${folder}/net/tcp`, 'utf8'),
    readFile(`${folder}/status`, 'utf8'),
  ]);
  const own = table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .map(([, local = '', , state = '', , , , , , inode = '']) => ({
      port: local.slice(local.indexOf(':') + 1),
      state,
      inode,
    }))
    .filter(({ inode }) => inodes.has(inode));
  const served = new Set(own.filter(({ state }) => state === LISTEN).map(({ port }) => port));
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return {
    sockets: own.filter(({ port }) => !served.has(port)).length,
    bytes: Number(kilobytes) * 1_024,
  };
}

async function readSocketInodes(folder: string): Promise<Set<string>> {
  const targets = await Promise.all(
    (await readdir(folder)).map(async (fd) => {
      try {
        return await readlink(`${folder}/${fd}`);
      } catch {
        // It was closed meanwhile.
        return '';
      }
    }),
  );
  return new Set(targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
}
