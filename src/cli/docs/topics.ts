import { wrapParagraph } from '../../errors/text-width.js';
import { tableText } from '../format/table.js';
import threeds from './topics/3ds.md';
import assumptions from './topics/assumptions.md';
import batches from './topics/batches.md';
import callbacks from './topics/callbacks.md';
import certify from './topics/certify.md';
import development from './topics/development.md';
import glossary from './topics/glossary.md';
import moneySafety from './topics/money-safety.md';
import output from './topics/output.md';
import profiles from './topics/profiles.md';
import runbooks from './topics/runbooks.md';
import sandbox from './topics/sandbox.md';
import signing from './topics/signing.md';

/** The Markdown of each topic, in the order of `paycli help`. */
const texts: Readonly<Record<string, string>> = {
  runbooks,
  'money-safety': moneySafety,
  profiles,
  output,
  batches,
  callbacks,
  '3ds': threeds,
  signing,
  sandbox,
  certify,
  assumptions,
  glossary,
  development,
};

export const topicNames: readonly string[] = Object.keys(texts);

/** What a topic is about, on one line: the end of its title `# name: brief`. */
export function topicBrief(name: string): string {
  return /^# \S+: (.+)\n/.exec(texts[name] ?? '')?.[1] ?? '';
}

/** The widest that text is wrapped to. */
const usualWidth = 80;

/** The text of a help topic, for a terminal of this width; undefined when there is none of that name. */
export function helpTopic(name: string, terminalWidth: number): string | undefined {
  const text = texts[name];
  if (text === undefined) return undefined;
  const width = Math.min(terminalWidth, usualWidth);
  const body = text.slice(text.indexOf('\n')).replace(/^<!--.*-->\n/gm, '');
  const parts = body
    .split(/^(```\w*\n[\s\S]*?^```\n)/m)
    .flatMap((part) => (part.startsWith('```') ? [part] : part.trim().split(/\n{2,}/)))
    .filter((part) => part !== '');
  // What follows a heading has no empty line before it.
  const blocks = parts.map((part, at) => `${parts[at - 1]?.startsWith('## ') ? '' : '\n'}${blockText(part, width)}`);
  return `${wrapParagraph(`${name}: ${topicBrief(name)}`, width)}\n${blocks.join('')}`;
}

/** A heading, a table, a list, fenced lines or a paragraph. */
function blockText(part: string, width: number): string {
  if (part.startsWith('```')) {
    const lines = part.trimEnd().split('\n').slice(1, -1);
    return lines.map((line) => `${line === '' ? '' : `  ${line}`}\n`).join('');
  }
  if (part.startsWith('## ')) return `${wrapParagraph(`${part.slice('## '.length)}:`, width)}\n`;
  if (part.startsWith('| ')) return markdownTable(part.split('\n').flatMap(cellsOf), width);
  if (/^(?:-|\d+\.) /.test(part)) {
    const items = part.split(/\n(?=\S)/).map((item) => wrapParagraph(joined(item), width - 2));
    return items.map((item) => `${item.replaceAll('\n', '\n  ')}\n`).join('');
  }
  return `${wrapParagraph(joined(part), width)}\n`;
}

/** The line below a table header has no cells. */
function cellsOf(line: string): string[][] {
  if (/^[-:| ]+$/.test(line)) return [];
  const all = line.replace(/^\| ?| ?\|$/g, '').split(/(?<!\\)\|/);
  return [all.map((cell) => cell.trim().replace(/\\([|<])/g, '$1'))];
}

function markdownTable([head = [], ...rows]: readonly (readonly string[])[], width: number): string {
  return tableText({ columns: head.map((each) => ({ head: each, flexible: true })), rows }, width, (text) => text);
}

function joined(lines: string): string {
  return lines.replace(/\s*\n\s*/g, ' ').replaceAll('**', '');
}
