import { escapeText } from '../shared/text.ts';

/** A page as values, which `markdown.ts` and `html.ts` write. */

/** A string is text, never markup; `code` is a name or a command as it is. */
export type Inline =
  | string
  | { readonly code: string }
  | { readonly strong: string }
  /** Text alone where a document has no links. */
  | { readonly link: string; readonly text: string };
export type Text = Inline | readonly Inline[];

export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
}

export interface Table {
  readonly kind: 'table';
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Text[])[];
  /** The last row is a sum. */
  readonly hasSum?: boolean;
}

/** Parts of a whole. */
export interface Shares {
  readonly kind: 'shares';
  readonly rows: readonly {
    readonly name: string;
    readonly parts: readonly { readonly label: string; readonly share: number }[];
  }[];
}

/** A drawing only: a table or the text has the figures. */
export interface Bars {
  readonly kind: 'bars';
  readonly title: string;
  /** What each bar of a group stands for. */
  readonly series: readonly string[];
  readonly groups: readonly {
    readonly label: string;
    readonly bars: readonly { readonly value: number; readonly text: string }[];
  }[];
}

export type Block =
  | { readonly kind: 'heading'; readonly level: 2 | 3; readonly text: Text }
  | { readonly kind: 'paragraph'; readonly text: Text }
  | { readonly kind: 'list'; readonly items: readonly Text[] }
  /** Commands to paste, of several lines. */
  | { readonly kind: 'commands'; readonly text: string }
  | Table
  | Shares
  | Bars;

export interface Page {
  readonly title: string;
  /** What the page is about, below its title. */
  readonly about: string;
  readonly blocks: readonly Block[];
}

export function heading(text: Text, level: 2 | 3 = 2): Block {
  return { kind: 'heading', level, text };
}

export function paragraph(...text: readonly Inline[]): Block {
  return { kind: 'paragraph', text };
}

/** None for an empty list. */
export function list(items: readonly Text[]): readonly Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', items }];
}

/** A title that begins with `#` marks a column of numbers. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly Text[])[],
  hasSum = false,
): Table {
  const columns = titles.map((title) => ({
    title: title.replace(/^#/, ''),
    isNumber: title.startsWith('#'),
  }));
  return { kind: 'table', columns, rows, hasSum };
}

export function toInlines(text: Text): readonly Inline[] {
  return Array.isArray(text) ? (text as readonly Inline[]) : [text as Inline];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Text within an element or an attribute. */
export function escapeHtml(words: string): string {
  return escapeText(words).replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
