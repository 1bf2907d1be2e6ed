import { AwsError } from './errors.ts';

/** What an element holds: text, elements by name, or a list for elements of one name. */
export type XmlValue =
  | string
  | number
  | boolean
  | undefined
  | readonly XmlValue[]
  | { readonly [name: string]: XmlValue };

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const CHARACTERS = new Map(Object.entries(ESCAPES).map(([text, entity]) => [entity, text]));

// Below U+0020 XML 1.0 allows three characters only; S3 writes the others as references, which
// strict parsers refuse. That is why `encoding-type=url` exists.
// eslint-disable-next-line no-control-regex
const UNSAFE = /[&<>"\u0000-\u001f\ufffe\uffff]/g;

/** Text as it stands in an element. */
export function escapeXml(text: string): string {
  if (text.search(UNSAFE) < 0) return text;
  return text.replace(
    UNSAFE,
    (character) => ESCAPES[character] ?? `&#x${character.charCodeAt(0).toString(16)};`,
  );
}

/** Writes an element, or several for a list; `undefined` is left out. */
export function writeXml(name: string, value: XmlValue): string {
  switch (typeof value) {
    case 'undefined':
      return '';
    case 'object':
      if (isList(value)) return value.map((item) => writeXml(name, item)).join('');
      return `<${name}>${writeFields(value)}</${name}>`;
    case 'string':
      return `<${name}>${escapeXml(value)}</${name}>`;
    default:
      return `<${name}>${value}</${name}>`;
  }
}

/** Writes an element for each field. */
export function writeFields(fields: { readonly [name: string]: XmlValue }): string {
  let children = '';
  for (const name in fields) children += writeXml(name, fields[name]);
  return children;
}

function isList(value: object): value is readonly XmlValue[] {
  return Array.isArray(value);
}

/** A whole document in the namespace of S3; `rest` follows its fields as it is. */
export function s3Document(
  name: string,
  fields: { readonly [name: string]: XmlValue },
  rest = '',
): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${writeFields(fields)}${rest}</${name}>`;
}

/** One element as read: its own text, and its children in order. */
export interface XmlNode {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlNode[];
}

/** The first child of that name. */
export function child(node: XmlNode, name: string): XmlNode | undefined {
  return node.children.find((candidate) => candidate.name === name);
}

/** All children of that name. */
export function childrenNamed(node: XmlNode, name: string): readonly XmlNode[] {
  return node.children.filter((candidate) => candidate.name === name);
}

/** The text of the first child of that name. */
export function childText(node: XmlNode, name: string): string | undefined {
  return child(node, name)?.text;
}

const TOKEN = /<\?[^>]*\?>|<!--[\s\S]*?-->|<\/([^\s>]+)\s*>|<([^\s/>!?]+)([^>]*?)(\/?)>|([^<]+)/gy;

/**
 * Reads the small documents that clients send; prefixes and attributes are dropped, document types
 * and CDATA refused.
 *
 * @throws AwsError `MalformedXML`
 */
export function parseXml(source: string): XmlNode {
  const root = { name: '', children: [] as XmlNode[], text: '' };
  const open = [root];
  let position = 0;
  for (const match of source.matchAll(TOKEN)) {
    position = match.index + match[0].length;
    const [, closing, opening, , selfClosing, text] = match;
    const current = open.at(-1);
    if (current === undefined) throw new AwsError('MalformedXML');
    if (text !== undefined) current.text += text;
    if (opening !== undefined) {
      const next = { name: localName(opening), children: [], text: '' };
      if (selfClosing === '/') current.children.push(next);
      else open.push(next);
    }
    if (closing !== undefined) {
      open.pop();
      const parent = open.at(-1);
      if (parent === undefined || current.name !== localName(closing)) {
        throw new AwsError('MalformedXML');
      }
      parent.children.push({ ...current, text: unescapeXml(current.text) });
    }
  }
  const [document] = root.children;
  if (position !== source.length || open.length !== 1 || document === undefined) {
    throw new AwsError('MalformedXML');
  }
  return document;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function unescapeXml(text: string): string {
  return text.replace(
    /&(?:#(x?)([0-9a-fA-F]+)|[a-z]+);/g,
    (entity: string, x?: string, digits?: string) => {
      if (digits !== undefined) return String.fromCodePoint(Number.parseInt(digits, x ? 16 : 10));
      const character = CHARACTERS.get(entity);
      if (character === undefined) throw new AwsError('MalformedXML');
      return character;
    },
  );
}
