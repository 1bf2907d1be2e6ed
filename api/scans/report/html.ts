import { createHash } from 'node:crypto';
import { escapeHtml, toInlines, type Block, type Page, type Table, type Text } from './blocks.ts';
import { drawBars, drawShares } from './plots.ts';
import { STYLE } from './style.ts';

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Writes a page as one HTML file that loads nothing and prints on A4. */
export function toHtml({ title, about, blocks }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – ${escapeHtml(about)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(about)}</p>
</header>
<main>
${sections(blocks).join('\n')}
</main>
</body>
</html>
`;
}

/** A heading of the third level and what follows it stay on one sheet of paper. */
function sections(blocks: readonly Block[]): readonly string[] {
  const written: string[] = [];
  let isOpen = false;
  for (const block of blocks) {
    if (block.kind === 'heading' && isOpen) {
      written.push('</section>');
      isOpen = false;
    }
    if (block.kind === 'heading' && block.level === 3) {
      written.push('<section>');
      isOpen = true;
    }
    written.push(write(block));
  }
  if (isOpen) written.push('</section>');
  return written;
}

function write(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${inline(block.text)}</h${block.level}>`;
    case 'paragraph':
      return `<p>${inline(block.text)}</p>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${inline(item)}</li>`).join('')}</ul>`;
    case 'table':
      return writeTable(block);
    case 'shares':
      return drawShares(block);
    case 'bars':
      return drawBars(block);
  }
}

function writeTable({ columns, rows, hasSum = false }: Table): string {
  const attributes = columns.map(({ isNumber }) => (isNumber ? ' class="number"' : ''));
  const line = (cells: readonly Text[], tag: 'td' | 'th', of = '') =>
    `<tr${of}>${cells.map((cell, at) => `<${tag}${attributes[at] ?? ''}>${inline(cell)}</${tag}>`).join('')}</tr>`;
  const body = rows.map((cells, at) =>
    line(cells, 'td', hasSum && at === rows.length - 1 ? ' class="sum"' : ''),
  );
  const head = line(
    columns.map(({ title }) => title),
    'th',
  );
  return `<table><thead>${head}</thead><tbody>${body.join('\n')}</tbody></table>`;
}

function inline(words: Text): string {
  return toInlines(words)
    .map((piece) => {
      if (typeof piece === 'string') return escapeHtml(piece);
      return 'code' in piece
        ? `<code>${escapeHtml(piece.code)}</code>`
        : `<strong>${escapeHtml(piece.strong)}</strong>`;
    })
    .join('');
}
