import { AwsError } from './errors.ts';

/** One element: its text without that of its children, and the children in order. */
export interface XmlNode {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlNode[];
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  gt: '>',
  lt: '<',
  quot: '"',
};

// Below U+0020 XML 1.0 allows three characters only; S3 writes the others as references, which
// strict parsers refuse. That is why `encoding-type=url` exists.
// eslint-disable-next-line no-control-regex
const UNSAFE = /[&<>"\u0000-\u001f\ufffe\uffff]/g;

/** Escapes text for an element or an attribute. */
function escapeXml(text: string): string {
  return text.replace(UNSAFE, (character) => {
    switch (character) {
      case '&':
        return '&amp;';
      case '<':
        return '&lt;';
      case '>':
        return '&gt;';
      case '"':
        return '&quot;';
      default:
        return `&#x${character.charCodeAt(0).toString(16)};`;
    }
  });
}

/** An element that holds text. */
export function textElement(name: string, value: string | number | boolean): string {
  return `<${name}>${escapeXml(String(value))}</${name}>`;
}

/** An element that holds other elements, already written. */
export function element(name: string, ...children: readonly string[]): string {
  return `<${name}>${children.join('')}</${name}>`;
}

/** A whole document in the namespace of S3. */
export function s3Document(name: string, ...children: readonly string[]): string {
  // Concatenated: joining would copy long pages once more.
  let document = `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`;
  for (const child of children) document += child;
  return `${document}</${name}>`;
}

/** The first child of that name. */
export function child(node: XmlNode, name: string): XmlNode | undefined {
  return node.children.find((candidate) => candidate.name === name);
}

/** The text of the first child of that name. */
export function childText(node: XmlNode, name: string): string | undefined {
  return child(node, name)?.text;
}

function malformed(): AwsError {
  return new AwsError(
    'MalformedXML',
    'The XML you provided was not well-formed or did not validate against our published schema',
  );
}

function unescapeXml(text: string): string {
  return text.replace(/&(#x[0-9a-fA-F]+|#[0-9]+|[a-z]+);/g, (_whole, entity: string) => {
    if (entity.startsWith('#x')) return String.fromCodePoint(Number.parseInt(entity.slice(2), 16));
    if (entity.startsWith('#')) return String.fromCodePoint(Number.parseInt(entity.slice(1), 10));
    const character = NAMED_ENTITIES[entity];
    if (character === undefined) throw malformed();
    return character;
  });
}

interface OpenElement {
  readonly name: string;
  readonly children: XmlNode[];
  text: string;
}

const TOKEN = /<\?[^>]*\?>|<!--[\s\S]*?-->|<\/([^\s>]+)\s*>|<([^\s/>!?]+)([^>]*?)(\/?)>|([^<]+)/gy;

/**
 * Reads the small documents that clients send; prefixes and attributes are dropped, document types
 * and CDATA refused.
 *
 * @throws AwsError `MalformedXML`
 */
export function parseXml(source: string): XmlNode {
  const root: OpenElement = { name: '', children: [], text: '' };
  const open: OpenElement[] = [root];
  let position = 0;
  for (const match of source.matchAll(TOKEN)) {
    position = match.index + match[0].length;
    const [, closing, opening, , selfClosing, text] = match;
    const current = open.at(-1);
    if (current === undefined) throw malformed();
    if (text !== undefined) current.text += text;
    if (opening !== undefined) {
      const next: OpenElement = { name: localName(opening), children: [], text: '' };
      if (selfClosing === '/') current.children.push(next);
      else open.push(next);
    }
    if (closing !== undefined) close(open, localName(closing));
  }
  const [document] = root.children;
  if (position !== source.length || open.length !== 1 || document === undefined) throw malformed();
  return document;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function close(open: OpenElement[], name: string): void {
  const done = open.pop();
  const parent = open.at(-1);
  if (done === undefined || parent === undefined || done.name !== name) throw malformed();
  parent.children.push({ name, children: done.children, text: unescapeXml(done.text) });
}
