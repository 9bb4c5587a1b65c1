import { wrapParagraph } from '../../errors/text-width.js';
import { belowLines, columns } from '../format/columns.js';
import { tableText } from '../format/table.js';
import { type Block, readMarkdown, type Term, type Topic } from './markdown.js';
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
const texts = {
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

/** The width where the terminal says none, and the widest that text is wrapped to. */
const usualWidth = 80;

/** The text of a help topic, for a terminal of this width; undefined when there is none of that name. */
export function helpTopic(name: string, terminalWidth: number): string | undefined {
  const width = Math.min(terminalWidth, usualWidth);
  const topic = readTopics().find((each) => each.name === name);
  if (topic === undefined) return undefined;
  const texts = topic.blocks.map((block, at) => {
    // What follows a heading has no empty line before it.
    return `${at > 0 && topic.blocks[at - 1]?.kind === 'heading' ? '' : '\n'}${blockText(block, width)}`;
  });
  return `${wrapParagraph(`${name}: ${topic.brief}`, width)}\n${texts.join('')}`;
}

/** Every topic, parsed from its Markdown. */
export function readTopics(): readonly Topic[] {
  return Object.values(texts).map(readMarkdown);
}

function blockText(block: Block, width: number): string {
  switch (block.kind) {
    case 'text':
      return `${wrapParagraph(block.text, width)}\n`;
    case 'heading':
      return `${wrapParagraph(`${block.text}:`, width)}\n`;
    case 'terms':
      return termsText(block.terms, width);
    case 'table':
      return topicTable(block.rows, width);
    case 'lines':
      return block.lines.map((line) => `${line === '' ? '' : `  ${line}`}\n`).join('');
  }
}

/** A table of text, for a terminal or a man page. */
export function topicTable([head = [], ...rows]: readonly (readonly string[])[], width: number): string {
  return tableText({ columns: head.map((each) => ({ head: each, flexible: true })), rows }, width, (text) => text);
}

// A longer term has a line of its own.
const maxTermWidth = 26;

function termsText(terms: readonly Term[], width: number): string {
  const widest = Math.max(0, ...terms.map(([term]) => term.length).filter((length) => length <= maxTermWidth));
  return terms
    .map(([term, meaning]) =>
      term.length <= maxTermWidth
        ? columns([[`  ${term.padEnd(widest)}`, meaning]], width)
        : [`  ${term}`, ...belowLines(meaning, 6, width)].map((line) => `${line}\n`).join(''),
    )
    .join('');
}
