import { lineOf } from './check.ts';
import type { Line } from './lines.ts';
import type { Section, Statement } from './statement.ts';

const HEAD = `# What holds the specification

Every statement of [specification.md](specification.md), and the tests that hold the service to it. Where
it leaves something open, the section of the contract that settled it is named. A title that ends in …
stands for all tests that begin so. Made by \`npm run coverage:spec\` from \`test/specification/\`: change
it there.
`;

/** The sections as docs/coverage.md. */
export function coverageDocument(sections: readonly Section[], lines: readonly Line[]): string {
  const all = sections.flatMap(({ statements }) => statements);
  const held = all.filter((statement) => 'heldBy' in statement);
  const tests = new Set(held.flatMap(({ heldBy }) => heldBy.map((test) => JSON.stringify(test))));
  const figures = `${all.length} statements: ${held.length} are held by tests (${tests.size} named), ${
    all.length - held.length
  } cannot be.\n`;
  return [HEAD, figures, ...sections.map((section) => tableOf(section, lines))].join('\n');
}

function tableOf({ heading, statements, silent = [] }: Section, lines: readonly Line[]): string {
  const rows = statements.map((statement) => {
    const number = lineOf(statement.quote, heading, lines)?.number ?? 0;
    const cells = [String(number), `\`${statement.id}\``, saidBy(statement), heldBy(statement)];
    return { number, text: `| ${cells.join(' | ')} |` };
  });
  const inOrder = rows.sort((one, other) => one.number - other.number).map(({ text }) => text);
  const head = ['| line | id | statement | held by |', '| --: | --- | --- | --- |'];
  const unsaid = silent.map((quote) => `“${inCell(quote)}”`).join(', ');
  const rest = unsaid === '' ? [] : [`State nothing: ${unsaid}.`, ''];
  return [`## ${heading}`, '', ...head, ...inOrder, '', ...rest].join('\n');
}

function saidBy({ says, settledBy }: Statement): string {
  return inCell(says) + (settledBy === undefined ? '' : ` (left open; contract, ${settledBy})`);
}

function heldBy(statement: Statement): string {
  if ('notTestable' in statement) return `not testable: ${inCell(statement.notTestable)}`;
  return statement.heldBy.map(({ file, title }) => `\`${file}\`: ${inCell(title)}`).join('<br>');
}

/** Keeps a text from ending its cell or being markup; what stands in backticks is code as it is. */
function inCell(text: string): string {
  return text.replaceAll(/`[^`|]*`|[\\|<>*_[\]]/g, (found) =>
    found.startsWith('`') ? found : `\\${found}`,
  );
}
