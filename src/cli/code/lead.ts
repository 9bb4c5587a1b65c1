import type { ControlPlan, Plan, PlannedSigning } from './plan.js';

interface KeySource {
  readonly name: string;
  readonly from: string;
  readonly variable: string;
  readonly file: string;
}

const controlKey: KeySource = {
  name: 'merchant control key',
  from: 'the file that CONTROL_KEY_FILE names, or from CONTROL_KEY itself',
  variable: 'CONTROL_KEY_FILE',
  file: 'control.key',
};
const keys: Readonly<Record<PlannedSigning['scheme'], KeySource | undefined>> = {
  control: controlKey,
  'hmac-sha1': controlKey,
  'rsa-sha256': {
    name: 'RSA private key',
    from: 'the PEM file that PRIVATE_KEY_FILE names',
    variable: 'PRIVATE_KEY_FILE',
    file: 'private.pem',
  },
  none: undefined,
};

/** What a language has of its own to say there. */
export interface Lead {
  readonly needs: string;
  /** The command that runs the program. */
  readonly run: string;
  /** How it comes by card data, in words that fit before the names of variables. */
  readonly cards: string;
}

/** The remarks a program begins with: what it does, what it needs, where its secrets come from. */
export function lead(plan: Plan, { needs, run, cards }: Lead): readonly string[] {
  const { row, signing, isLive } = plan;
  const key = keys[signing.scheme];
  const inputs = inputsOf(plan);
  return [
    `${row.brief} (${row.id}).`,
    ...(isLive && row.effect === 'money' ? ['It goes to a live gateway: whoever runs this moves real money.'] : []),
    `Needs ${needs}.`,
    ...(key === undefined ? [] : ['', `No ${key.name} is in here. It is read from ${key.from}:`, `  ${key.variable}=${key.file} ${run}`]),
    ...(inputs.length === 0 ? [] : ['', `No card data is in here. It is ${cards} ${inputs.join(', ')}.`]),
    ...(row.effect === 'read'
      ? []
      : [
          '',
          'If no reply comes, it may have been carried out all the same. Ask for the status then; never send it again under another id.',
        ]),
  ];
}

/** How to run it against the sandbox of this user, whose keys are made for the time it runs. */
export function trial({ signing }: Plan, run: string): string {
  const variable = keys[signing.scheme]?.variable;
  const command = variable === undefined ? run : `${variable}=$PAYCLI_${variable} ${run}`;
  return `paycli sandbox start --run -- sh -c '${command}'`;
}

/** The environment variables of what is asked for. */
export function inputsOf({ variables }: Plan): readonly string[] {
  return variables.flatMap(({ name, value }) => ('input' in value ? [name.toUpperCase()] : []));
}

/** What the checksum is made of besides the key, and which of its places are empty. */
export function slotsOf(signing: ControlPlan): {
  readonly variables: readonly string[];
  readonly remark: readonly string[];
} {
  const absent = signing.slots.flatMap((slot) => ('absent' in slot ? [slot.absent] : []));
  return {
    variables: signing.slots.flatMap((slot) => ('variable' in slot ? [slot.variable] : [])),
    remark: absent.length === 0 ? [] : [`Left out, and so an empty text here: ${absent.join(', ')}.`],
  };
}

/** Behind a comment mark, without blanks at the ends of lines. */
export function remarks(mark: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${mark} ${line}`.trimEnd());
}

/** Parts with an empty line between them; empty ones are passed over. */
export function paragraphs(parts: readonly (string | readonly string[])[]): string {
  const texts = parts.map((part) => (typeof part === 'string' ? part : part.join('\n')));
  return `${texts.filter((text) => text !== '').join('\n\n')}\n`;
}
