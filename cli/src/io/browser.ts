type Desktop = { env: Readonly<Record<string, string | undefined>>; platform: NodeJS.Platform };

/** Opens an address in the person's browser. False where this machine shows none, or it does not start. */
export async function openInBrowser(url: string, desktop: Desktop): Promise<boolean> {
  if (!hasScreen(desktop)) return false;
  // Imported on demand: no other command needs it, and a completion has to be quick.
  const { default: open } = await import('open');
  return await open(url).then(
    () => true,
    () => false,
  );
}

/** On Linux, and over SSH, a browser needs a display; WSL opens the one of Windows. */
function hasScreen({ env, platform }: Desktop): boolean {
  if (env['DISPLAY'] || env['WAYLAND_DISPLAY']) return true;
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return false;
  return platform !== 'linux' || Boolean(env['WSL_DISTRO_NAME']);
}
