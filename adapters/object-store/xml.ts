/** A document that is not the expected XML, or only a part of it. */
export class MalformedAnswerError extends Error {}

/** A page of a listing is not behind the one before, or its entries are in no order. */
export class UnsortedAnswerError extends Error {}

const SPACE = 0x20;
const EXCLAMATION = 0x21;
const SLASH = 0x2f;
const COLON = 0x3a;
const GREATER = 0x3e;
const QUESTION = 0x3f;

/**
 * Reads a document from front to back without building a tree: a page has a thousand entries of
 * eight elements, of which four are used. `open()` enters the next child. An element is left by
 * `text()`, by `skip()`, or by opening children until there are no more.
 */
export class XmlReader {
  readonly #xml: string;
  #at = 0;
  /** Where its name begins, with the namespace and without. */
  #tagStart = 0;
  #nameStart = 0;
  #nameEnd = 0;
  /** The entered element was written `<Name/>`. */
  #isEmpty = false;

  constructor(xml: string) {
    this.#xml = xml;
  }

  /** Enters the outermost element, which must be of that name. @throws MalformedAnswer */
  openDocument(name: string): void {
    if (!this.open() || !this.is(name)) throw new MalformedAnswerError(`there is no ${name}`);
  }

  /** Enters the next child; without one it leaves the parent and returns false. */
  open(): boolean {
    if (this.#isEmpty) {
      this.#isEmpty = false;
      return false;
    }
    const xml = this.#xml;
    for (;;) {
      const start = this.#find('<', this.#at);
      const mark = xml.charCodeAt(start + 1);
      if (mark === SLASH) {
        this.#at = this.#find('>', start) + 1;
        return false;
      }
      if (mark !== QUESTION && mark !== EXCLAMATION) return this.#enter(start);
      this.#at = this.#find('>', start) + 1;
    }
  }

  /** Whether the entered element is of that name, in any namespace. */
  is(name: string): boolean {
    return (
      this.#nameEnd - this.#nameStart === name.length && this.#xml.startsWith(name, this.#nameStart)
    );
  }

  /** The text of the entered element with its entities unread. Leaves the element. */
  text(): string {
    if (this.#isEmpty) {
      this.#isEmpty = false;
      return '';
    }
    const start = this.#at;
    const end = this.#find('<', start);
    const text = this.#xml.slice(start, end);
    if (!this.#leaveAt(end)) this.skip();
    return text;
  }

  /** Leaves the entered element and skips its content. */
  skip(): void {
    if (!this.#isEmpty && this.#leaveAt(this.#find('<', this.#at))) return;
    let depth = 1;
    while (depth > 0) depth += this.open() ? 1 : -1;
  }

  /** Leaves an element whose only content is text that ends there; else returns false. */
  #leaveAt(end: number): boolean {
    if (this.#xml.charCodeAt(end + 1) !== SLASH) return false;
    const likely = end + 2 + this.#nameEnd - this.#tagStart;
    this.#at = (this.#xml.charCodeAt(likely) === GREATER ? likely : this.#find('>', end)) + 1;
    return true;
  }

  #enter(start: number): true {
    const xml = this.#xml;
    this.#tagStart = start + 1;
    this.#nameStart = start + 1;
    let at = start + 1;
    let code = xml.charCodeAt(at);
    while (code > SPACE && code !== GREATER && code !== SLASH) {
      if (code === COLON) this.#nameStart = at + 1;
      at += 1;
      code = xml.charCodeAt(at);
    }
    this.#nameEnd = at;
    const end = code === GREATER ? at : this.#find('>', at);
    this.#isEmpty = xml.charCodeAt(end - 1) === SLASH;
    this.#at = end + 1;
    return true;
  }

  #find(mark: string, from: number): number {
    const at = this.#xml.indexOf(mark, from);
    if (at < 0) throw new MalformedAnswerError('it ends in the middle');
    return at;
  }
}

const ENTITY = /&(?:#x([0-9a-fA-F]+)|#([0-9]+)|(amp|lt|gt|quot|apos));/g;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** The text with its entities replaced. */
export function unescapeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
