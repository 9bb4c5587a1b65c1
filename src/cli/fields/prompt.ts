import type { Question, Runtime } from '../../runtime/ports.js';
import { kindOf, type Operation, testCards } from '../../spec/index.js';
import { checkValue, fieldsInForce } from '../../wire/check.js';
import { withoutCardNumbers } from '../../wire/mask.js';
import { rulesInForce } from '../../wire/rules.js';
import { hasExpired } from '../../wire/time.js';
import { flagOf } from '../command.js';
import type { Session } from '../session.js';
import { type CollectedFields, problemsOf, testCardFields } from './collect.js';

/** Asks for what is missing, one field after another; an answer may make another field necessary. */
export async function promptMissing(
  row: Operation,
  session: Session,
  collected: CollectedFields,
  runtime: Runtime,
): Promise<void> {
  /** What each question gave, for who goes back to it. */
  const steps: Readonly<Record<string, string>>[] = [];
  let before: Readonly<Record<string, string>> = {};
  for (;;) {
    const problems = problemsOf(row, session, collected);
    // An amount that was typed may turn out not to fit the currency that was typed after it.
    const wrong = problems.find(
      ({ kind, key }) => kind === 'invalid' && key !== undefined && collected.origins[key] === 'prompt',
    );
    const next =
      wrong ??
      problems.find(({ kind, key }) => kind === 'missing' && key !== undefined && collected.values[key] === undefined);
    const group = next?.key === undefined ? await promptOneOf(row, session, collected.values, runtime) : undefined;
    const keys = next?.key === undefined ? group?.keys : [next.key];
    if (keys === undefined) return;
    const take = (answers: Readonly<Record<string, string>>) => {
      for (const [key, value] of Object.entries(answers)) collected.add(key, value, 'prompt');
      steps.push(answers);
    };
    if (group !== undefined) take(group.values);
    if (wrong?.key !== undefined) collected.replace(wrong.key, undefined, '');
    for (const key of keys) {
      const asked = { key, why: wrong?.why, initial: before[key], canGoBack: steps.length > 0 };
      const answers = await promptField(asked, row, session, collected, runtime);
      if (answers === undefined) {
        const last = steps.pop() ?? {};
        before = { ...before, ...last };
        for (const each of Object.keys(last)) collected.replace(each, undefined, '');
        break;
      }
      take(answers);
    }
  }
}

interface AskedField {
  readonly key: string;
  /** What was wrong with the last answer. */
  readonly why: string | undefined;
  /** The last answer, where it may be shown. */
  readonly initial: string | undefined;
  readonly canGoBack: boolean;
}

/**
 * Prompts for one field. Choosing a test card answers several fields. Answers are by field key; undefined to go back.
 */
async function promptField(
  { key, why, initial, canGoBack }: AskedField,
  row: Operation,
  session: Session,
  { values, origins }: Pick<CollectedFields, 'values' | 'origins'>,
  runtime: Runtime,
): Promise<Readonly<Record<string, string>> | undefined> {
  const field = row.fields[key];
  if (field === undefined) return {};
  const prompter = await runtime.prompter();
  // Only a sandbox is known to have these cards, and without a security code they have no outcome.
  const hasTestCards = key === 'cardNumber' && session.class === 'sandbox' && 'cvv' in row.fields;
  const testCard = hasTestCards ? await promptTestCard(row, runtime) : undefined;
  if (testCard !== undefined) return testCard;
  const { secrecy, placeholder, isUpperCase = false } = kindOf(field.kind);
  const hint = field.values?.join(', ') ?? (why === undefined ? placeholder : undefined);
  const normalized = (text: string) => (isUpperCase ? text.trim().toUpperCase() : text);
  const hidden = secrecy === 'secret' || field.kind === 'cardNumber';
  const question: Question = {
    name: key,
    message: why === undefined ? field.meaning : `${field.meaning} (${why})`,
    // The reason has an example of its own, which fits the currency.
    ...(hint === undefined ? {} : { hint }),
    hidden,
    ...(initial === undefined || hidden ? {} : { initial }),
    shown: withoutCardNumbers,
    ...(field.values === undefined ? {} : { choices: field.values }),
    check: (typed) => {
      const all = { ...values, [key]: normalized(typed) };
      const reason = checkValue(field, normalized(typed)) ?? expiryProblem(all, key, runtime.clock.now());
      if (reason !== undefined) return reason;
      // An amount has to fit the currency as well, if that is known already.
      const invalid = problemsOf(row, session, { values: all }).filter((problem) => problem.kind === 'invalid');
      const own = invalid.find((problem) => problem.key === key);
      if (own !== undefined) return own.why;
      // What was given before fitted until this answer; a field that was answered is asked again instead.
      const given = invalid.find((problem) => problem.key !== undefined && origins[problem.key] !== 'prompt');
      return given === undefined ? undefined : `does not fit ${given.why}`;
    },
  };
  let isBack = false;
  const goBack = () => {
    isBack = true;
  };
  const answer = await prompter.ask(canGoBack ? { ...question, goBack } : question);
  return isBack ? undefined : { [key]: normalized(answer) };
}

const dayMs = 86_400_000;

/** Typed by hand, a card that has expired everywhere on Earth is a mistake. */
function expiryProblem(values: Readonly<Record<string, string>>, key: string, now: number): string | undefined {
  const { expireMonth: month, expireYear: year } = values;
  if ((key !== 'expireMonth' && key !== 'expireYear') || !hasExpired({ month, year }, now - dayMs)) return undefined;
  return `the card expired in ${month ?? ''}/${year ?? ''}`;
}

const otherCard = 'another card';

/** The fields of a test card, chosen by its outcome; undefined where the number is to be typed. */
async function promptTestCard(row: Operation, runtime: Runtime): Promise<Readonly<Record<string, string>> | undefined> {
  const prompter = await runtime.prompter();
  const name = await prompter.ask({
    name: 'test-card',
    message: 'which test card',
    choices: [...testCards.map((card) => card.name), otherCard],
    meanings: {
      ...Object.fromEntries(testCards.map((card) => [card.name, card.about])),
      [otherCard]: 'type its number',
    },
    initial: 'approved',
  });
  if (name === otherCard) return undefined;
  return testCardFields(name, row, runtime.clock.now());
}

/** What a group of fields of which one is needed still takes: keys to ask for, and values that choosing it gives. */
interface ChosenGroup {
  readonly keys: readonly string[];
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Asks which of several groups of fields to give where a request needs exactly one of them and has a field of none,
 * such as the destination of a payout. Undefined where nothing is left to choose.
 */
async function promptOneOf(
  row: Operation,
  { assume }: Session,
  values: Readonly<Record<string, string>>,
  runtime: Runtime,
): Promise<ChosenGroup | undefined> {
  const fields = new Map(fieldsInForce(row, assume));
  const isGiven = (key: string) => values[key] !== undefined;
  const open = rulesInForce(row, assume)
    .filter(({ unlessAll }) => unlessAll?.every(isGiven) !== true)
    .flatMap((rule) => (rule.rule === 'exactlyOne' ? [rule.groups.map((group) => group.map(memberOf))] : []))
    .map((groups) => groups.filter((group) => group.every(({ key }) => fields.has(key))))
    .find((groups) => groups.length > 1 && !groups.flat().some(({ key }) => isGiven(key)));
  if (open === undefined) return undefined;
  const groups = new Map(open.map((group) => [flagOf(group[0]?.key ?? '').slice(2), group]));
  const meanings = [...groups].map(([name, [first]]) => [name, fields.get(first?.key ?? '')?.meaning ?? '']);
  const prompter = await runtime.prompter();
  const name = await prompter.ask({
    name: 'one-of',
    message: 'one of these is needed',
    choices: [...groups.keys()],
    meanings: Object.fromEntries(meanings),
  });
  const chosen = groups.get(name) ?? [];
  return {
    keys: chosen.flatMap(({ key, value }) => (value === undefined ? [key] : [])),
    values: Object.fromEntries(chosen.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value]]))),
  };
}

/** A field of a group, or `field=value` where the group needs that value. */
function memberOf(text: string): { readonly key: string; readonly value: string | undefined } {
  const [key = '', value] = text.split('=');
  return { key, value };
}
