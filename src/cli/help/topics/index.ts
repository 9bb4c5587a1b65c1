import { assumptionsTopic } from './assumptions.js';
import { batchesTopic } from './batches.js';
import { type Block, type Topic, terms, text } from './block.js';
import { callbacksTopic } from './callbacks.js';
import { environmentTopic } from './environment.js';
import { exitCodesTopic } from './exit-codes.js';
import { liveTopic } from './live.js';
import { moneySafetyTopic } from './money-safety.js';
import { outputTopic } from './output.js';
import { plainText } from './plain.js';
import { profilesTopic } from './profiles.js';
import { sandboxTopic } from './sandbox.js';
import { secretsTopic } from './secrets.js';
import { signingTopic } from './signing.js';
import { statesTopic } from './states.js';
import { threedsTopic } from './threeds.js';

export const topics = {
  'exit-codes': exitCodesTopic,
  'money-safety': moneySafetyTopic,
  states: statesTopic,
  live: liveTopic,
  output: outputTopic,
  environment: environmentTopic,
  profiles: profilesTopic,
  secrets: secretsTopic,
  signing: signingTopic,
  assumptions: assumptionsTopic,
  sandbox: sandboxTopic,
  '3ds': threedsTopic,
  callbacks: callbacksTopic,
  batches: batchesTopic,
} as const satisfies Readonly<Record<string, Topic>>;

export const topicNames: readonly string[] = Object.keys(topics);

const width = 80;

/** The text of a help topic; undefined when there is none of that name. */
export function helpTopic(name: string): string | undefined {
  const topic: Topic | undefined = Object.entries(topics).find(([known]) => known === name)?.[1];
  if (topic === undefined) return undefined;
  const last = topic.last === undefined ? [] : [text(topic.last)];
  return `${name}: ${topic.brief}\n\n${plainText([...topic.blocks(), ...last], width)}`;
}

/** All topics, a line each. */
export function topicList(): string {
  return `Help topics:\n${plainText([topicTerms()], width)}`;
}

export function topicTerms(): Block {
  return terms(...Object.entries(topics).map(([name, { brief }]) => [`paycli help ${name}`, brief] as const));
}
