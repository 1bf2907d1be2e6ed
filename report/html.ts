import { createHash } from 'node:crypto';
import { escapeHtml, toInlines, type Block, type Page, type Table, type Text } from './blocks.ts';
import { drawBars, drawShares } from './plots.ts';

/** The style sheet of the report: for a screen, and for A4. */
const STYLE = `
@page { size: A4; margin: 16mm 14mm; }
* { box-sizing: border-box; }
body { font: 10.5pt/1.45 "Helvetica Neue", Arial, "Liberation Sans", sans-serif; color: #1c2733; max-width: 190mm; margin: 0 auto; padding: 24px; }
header { border-bottom: 2px solid #12466b; margin-bottom: 14px; }
h1 { font-size: 21pt; line-height: 1.2; margin: 0 0 4px; color: #12466b; }
header p { margin: 0 0 10px; color: #51606e; }
h2 { font-size: 14pt; margin: 26px 0 8px; color: #12466b; break-after: avoid; }
h3 { font-size: 11.5pt; margin: 16px 0 6px; break-after: avoid; overflow-wrap: anywhere; }
section, figure, tr { break-inside: avoid; }
p, ul { margin: 6px 0 10px; }
h2 + p { break-after: avoid; }
ul { padding-left: 18px; }
li { margin: 3px 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin: 8px 0 12px; font-size: 9.5pt; }
thead { display: table-header-group; }
th { text-align: left; font-weight: 600; color: #51606e; border-bottom: 1.5px solid #8a97a3; padding: 4px 8px 4px 0; vertical-align: bottom; }
td { border-bottom: 1px solid #dde3e8; padding: 4px 8px 4px 0; vertical-align: top; overflow-wrap: break-word; }
td code { overflow-wrap: anywhere; }
.number { text-align: right; padding-left: 4px; font-variant-numeric: tabular-nums; overflow-wrap: normal; white-space: nowrap; }
th.number { white-space: normal; }
th:last-child, td:last-child { padding-right: 0; }
.sum td { font-weight: 700; border-top: 1.5px solid #1c2733; border-bottom: 0; }
a { color: #12466b; }
code { font: 0.92em/1.4 "DejaVu Sans Mono", Menlo, Consolas, monospace; background: #f0f3f6; padding: 0 3px; border-radius: 3px; }
pre { background: #f0f3f6; padding: 8px; border-radius: 3px; white-space: pre-wrap; overflow-wrap: anywhere; }
pre code { padding: 0; }
figure { margin: 10px 0 14px; }
figcaption { font-size: 9pt; color: #51606e; margin-bottom: 4px; }
svg { display: block; width: 100%; height: auto; }
svg text { font-family: inherit; fill: #1c2733; }
@media screen and (max-width: 640px) { body { padding: 16px; } table { display: block; overflow-x: auto; } td code { overflow-wrap: break-word; } figure { overflow-x: auto; } svg { min-width: 560px; } }
@media print { body { padding: 0; max-width: none; } }
`;

/** Allows the style sheet, and no other, in a Content-Security-Policy. */
export const REPORT_STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

const POLICY = [
  "default-src 'none'",
  `style-src ${REPORT_STYLE_SOURCE}`,
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
    case 'commands':
      return `<pre><code>${block.text.split('\n').map(escapeHtml).join('\n')}</code></pre>`;
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
      if ('code' in piece) return `<code>${escapeHtml(piece.code)}</code>`;
      return 'link' in piece
        ? `<a href="${escapeHtml(piece.link)}" target="_top">${escapeHtml(piece.text)}</a>`
        : `<strong>${escapeHtml(piece.strong)}</strong>`;
    })
    .join('');
}
