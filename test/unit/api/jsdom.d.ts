/**
 * The part of jsdom that the page test uses; jsdom's own types would add a browser's globals to
 * every file.
 */
declare module 'jsdom' {
  interface Element {
    readonly textContent: string;
    getAttribute(name: string): string | null;
  }
  interface Window {
    fetch: (input: string | URL | Request) => Promise<Response>;
    readonly document: {
      querySelector(selector: string): Element | null;
      querySelectorAll(selector: string): Iterable<Element> & { readonly length: number };
      getElementById(id: string): Element | null;
    };
    close(): void;
  }
  export const VirtualConsole: new () => object;
  export class JSDOM {
    constructor(
      html: string,
      options?: {
        url?: string;
        runScripts?: 'dangerously';
        pretendToBeVisual?: boolean;
        virtualConsole?: object;
        beforeParse?: (window: Window) => void;
      },
    );
    readonly window: Window;
  }
}
