import { formatPercent } from '../shared/amounts.ts';
import { code, fenceOf, table as markdownTable, text } from '../domain/common/format.ts';
import { escapeText } from '../shared/text.ts';
import { toInlines, type Block, type Page, type Shares, type Table, type Text } from './blocks.ts';

/** Writes a page as Markdown. Bars are left out: a table or the text has their figures. */
export function toMarkdown({ title, about, blocks }: Page): string {
  return [`# ${text(title)}`, '', text(about), ...blocks.flatMap(write), ''].join('\n');
}

function write(block: Block): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return ['', `${'#'.repeat(block.level)} ${inline(block.text)}`];
    case 'paragraph':
      return ['', inline(block.text)];
    case 'list':
      return ['', ...block.items.map((item) => `- ${inline(item)}`)];
    case 'commands': {
      const fence = fenceOf(block.text);
      return ['', `${fence}sh`, ...block.text.split('\n').map(escapeText), fence];
    }
    case 'table':
      return ['', ...writeTable(block)];
    case 'shares':
      return ['', ...writeShares(block)];
    case 'bars':
      return [];
  }
}

function writeTable({ columns, rows, hasSum = false }: Table): string[] {
  const titles = columns.map(({ title, isNumber }) => `${isNumber ? '#' : ''}${text(title)}`);
  return markdownTable(
    titles,
    rows.map((cells, at) =>
      cells.map((cell) => {
        const written = inline(cell);
        return hasSum && at === rows.length - 1 && written !== '' ? `**${written}**` : written;
      }),
    ),
  );
}

function writeShares({ rows }: Shares): string[] {
  return markdownTable(
    ['by', 'share of the size'],
    rows.map(({ name, parts }) => [
      text(name),
      text(parts.map(({ label, share }) => `${label} ${formatPercent(share)}`).join(', ')),
    ]),
  );
}

function inline(words: Text): string {
  return toInlines(words)
    .map((piece) => {
      if (typeof piece === 'string') return text(piece);
      if ('code' in piece) return code(piece.code);
      return 'link' in piece ? text(piece.text) : `**${text(piece.strong)}**`;
    })
    .join('');
}
