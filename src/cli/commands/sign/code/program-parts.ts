import type { ControlEncoding } from '../../../../signing/index.js';
import {
  type CodePlan,
  commented,
  type IntroductionWords,
  inputsOf,
  introduction,
  isOauth,
  type OauthPlan,
  slotsOf,
} from './plan.js';

/** How a language writes what a program of any language has. */
export interface Syntax {
  /** What begins a remark. */
  readonly mark: string;
  /** What stands before a remark behind a line; one blank when left out. */
  readonly blanks?: string;
  /** What a variable such as `client_order_id` is called. */
  readonly name: (name: string) => string;
  /** A text as it stands in the program. */
  readonly quoted: (text: string) => string;
  /** What is asked for when the program runs: from this environment variable, for this field of the body. */
  readonly asked: (variable: string, field: string) => string;
  readonly assignment: (name: string, value: string) => string;
  /** A field of the body, both of these as they stand in the program. */
  readonly pair: (name: string, value: string) => string;
  readonly readControlKey: string;
  readonly readPrivateKey: string;
  /** Adds the checksum over these variables and the key. */
  readonly control: (variables: readonly string[], encoding: ControlEncoding) => readonly string[];
  /** Adds the Authorization header (RFC 5849 3.4 and 3.5.1). */
  readonly oauth: (signing: OauthPlan) => readonly string[];
  /** Puts the oauth_ values into the body too. */
  readonly oauthIntoBody: string;
}

export interface ProgramParts {
  /** The remarks it begins with. */
  readonly introduction: readonly string[];
  readonly assignments: readonly string[];
  readonly pairs: readonly string[];
  /** What reads the key; empty where nothing is signed. */
  readonly key: string;
  readonly signing: readonly string[];
  readonly isOauth: boolean;
  /** Whether something is asked for when it runs. */
  readonly asks: boolean;
}

/** What a program consists of, written in a language. */
export function programParts(plan: CodePlan, syntax: Syntax, words: IntroductionWords): ProgramParts {
  const { signing } = plan;
  const { mark, name, quoted, asked } = syntax;
  return {
    introduction: commented(mark, introduction(plan, words)),
    assignments: plan.variables.map(({ name: own, value, remark }) => {
      const text = 'text' in value ? quoted(value.text) : asked(own.toUpperCase(), value.input);
      const comment = remark === undefined ? '' : `${syntax.blanks ?? ' '}${mark} ${remark}`;
      return `${syntax.assignment(name(own), text)}${comment}`;
    }),
    pairs: plan.fields.map(({ wire, value }) =>
      syntax.pair(quoted(wire), 'text' in value ? quoted(value.text) : name(value.variable)),
    ),
    key: {
      control: syntax.readControlKey,
      'hmac-sha1': syntax.readControlKey,
      'rsa-sha256': syntax.readPrivateKey,
      none: '',
    }[signing.scheme],
    signing: signingLines(plan, syntax),
    isOauth: isOauth(signing),
    asks: inputsOf(plan).length > 0,
  };
}

function signingLines({ signing }: CodePlan, { mark, name, control, oauth, oauthIntoBody }: Syntax): readonly string[] {
  if (signing.scheme === 'none') return [];
  if (signing.scheme === 'control') {
    const { variables, remark } = slotsOf(signing);
    return [...commented(mark, remark), ...control(variables.map(name), signing.encoding)];
  }
  const repeats = signing.scheme === 'hmac-sha1' && signing.repeatsInBody;
  return [...oauth(signing), ...(repeats ? [oauthIntoBody] : [])];
}

/** `client_order_id` as `clientOrderId`. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
}

/** The members of a class, with an empty line between them. */
export function indented(parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .join('\n\n')
    .split('\n')
    .map((line) => (line === '' ? '' : `    ${line}`))
    .join('\n');
}
