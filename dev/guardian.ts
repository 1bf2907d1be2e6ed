import { spawn } from 'node:child_process';

/** Ends what we started when we cannot: it sees our end of its input close, however we died. */
export interface Guardian {
  watch(pid: number): void;
  forget(pid: number): void;
  /** Ends the guardian, and with it whatever it still watches. */
  close(): void;
}

// A paused process acts on SIGTERM only once it is continued. The folder's name comes as $1.
// Only this spelling of kill (-s, then --) is understood by every sh.
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

/** @param dataFolder removed at the end, once nothing runs any more */
export function startGuardian(dataFolder: string): Guardian {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'guardian', dataFolder], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  const { stdin } = child;
  // Its handle must not keep us alive; where it is gone, there is nothing that we could still tell it.
  (stdin as unknown as { unref?: () => void }).unref?.();
  stdin.on('error', () => {});
  return {
    watch: (pid) => void stdin.write(`watch ${pid}\n`),
    forget: (pid) => void stdin.write(`forget ${pid}\n`),
    close: () => stdin.end(),
  };
}
