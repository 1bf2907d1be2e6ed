import { connect, type Socket } from 'node:net';
import { listen } from '../contract/connections.ts';

/** A TCP proxy of a server, which from one moment on passes nothing on. */
export async function openHangingProxy(address: string) {
  const [host = '', port] = address.split(':');
  let hangs = false;
  const join = (from: Socket, to: Socket): void => {
    from.on('data', (chunk) => {
      if (!hangs) to.write(chunk);
    });
    from.on('error', () => {});
    from.on('close', () => to.destroy());
  };
  const { origin, close } = await listen((near) => {
    const far = connect(Number(port), host);
    join(near, far);
    join(far, near);
  });
  return {
    address: new URL(origin).host,
    hang(): void {
      hangs = true;
    },
    close,
  };
}
