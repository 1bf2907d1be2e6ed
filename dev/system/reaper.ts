import { spawn } from 'node:child_process';

/** A shell process that ends the watched processes when this process dies: its stdin closes then. */
export interface Reaper {
  watch(pid: number): void;
  forget(pid: number): void;
  /** Ends the reaper and the processes that it still watches. */
  close(): void;
}

// A paused process handles SIGTERM only after SIGCONT. $1 is the data folder.
// This form of kill (-s, then --) is portable across shells.
const SCRIPT = `
trap '' HUP INT TERM
pids=' '
while read -r word pid; do
  case "$word" in
    watch) pids="$pids$pid " ;;
    forget) pids=$(echo "$pids" | sed "s/ $pid / /") ;;
  esac
done
for pid in $pids; do kill -s TERM -- "-$pid"; kill -s CONT -- "-$pid"; done 2>/dev/null
tries=30
while [ $tries -gt 0 ]; do
  left=
  for pid in $pids; do kill -s 0 -- "-$pid" 2>/dev/null && left=yes; done
  [ -z "$left" ] && break
  sleep 0.1
  tries=$((tries - 1))
done
for pid in $pids; do kill -s KILL -- "-$pid"; done 2>/dev/null
rm -rf "$1"
`;

/** @param dataFolder removed after all processes have ended */
export function startReaper(dataFolder: string): Reaper {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'reaper', dataFolder], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  const { stdin } = child;
  // The pipe must not keep this process alive, and a write after the reaper has ended is no error.
  (stdin as unknown as { unref?: () => void }).unref?.();
  stdin.on('error', () => {});
  return {
    watch: (pid) => void stdin.write(`watch ${pid}\n`),
    forget: (pid) => void stdin.write(`forget ${pid}\n`),
    close: () => stdin.end(),
  };
}
