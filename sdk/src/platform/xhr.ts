import type { WholePut } from '../source/platform.ts';

/** The part of a browser's XMLHttpRequest that a PUT needs, without the types of the DOM. */
interface Xhr {
  readonly status: number;
  readonly responseText: string;
  readonly upload: EventTarget;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: Blob | Uint8Array): void;
  abort(): void;
  addEventListener(type: string, listener: () => void): void;
}

/**
 * A PUT that reports what was sent: the `fetch` of browsers reports nothing before the answer.
 * Undefined if the runtime has no XMLHttpRequest, for example in a service worker.
 */
export function findXhrPut(): WholePut | undefined {
  const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => Xhr };
  return XMLHttpRequest && ((put) => send(new XMLHttpRequest(), put));
}

function send(
  xhr: Xhr,
  { url, headers, body, signal, onMoved }: Parameters<WholePut>[0],
): ReturnType<WholePut> {
  return new Promise((resolve, reject) => {
    const stop = (): void => xhr.abort();
    const fail = (): void => reject(new TypeError('network error'));
    xhr.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.addEventListener('progress', (event) => {
      try {
        onMoved((event as Event & { loaded: number }).loaded);
      } catch (error) {
        reject(error);
        stop();
      }
    });
    xhr.addEventListener('load', () => resolve({ status: xhr.status, text: xhr.responseText }));
    xhr.addEventListener('error', fail);
    xhr.addEventListener('abort', fail);
    xhr.addEventListener('loadend', () => signal.removeEventListener('abort', stop));
    signal.addEventListener('abort', stop, { once: true });
    xhr.send(body);
  });
}
