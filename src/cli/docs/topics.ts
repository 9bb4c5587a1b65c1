import { readMarkdown, type Topic } from './markdown.js';
import { plainText, wrapped } from './plain-text.js';
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

/** In columns: the width where the terminal says none, and the widest that text is wrapped to. */
const usualWidth = 80;

/** The text of a help topic, for a terminal of this width; undefined when there is none of that name. */
export function helpTopic(name: string, columns = usualWidth): string | undefined {
  const width = Math.min(columns, usualWidth);
  const topic = readTopics().find((each) => each.name === name);
  return topic === undefined
    ? undefined
    : `${wrapped(`${name}: ${topic.brief}`, width).join('\n')}\n\n${plainText(topic.blocks, width)}`;
}

/** All topics, a line each. */
export function topicList(columns = usualWidth): string {
  return `Help topics:\n${plainText(
    [
      {
        kind: 'terms',
        terms: readTopics().map(({ name, brief }) => [`paycli help ${name}`, brief]),
      },
    ],
    Math.min(columns, usualWidth),
  )}`;
}

/** Every topic, parsed from its Markdown. */
export function readTopics(): readonly Topic[] {
  return Object.values(texts).map(readMarkdown);
}
