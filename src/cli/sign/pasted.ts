import { fail } from '../../errors/index.js';
import type { Pair } from '../../wire/form.js';

/** A request somebody pasted, before anything is looked up. */
export interface Pasted {
  readonly method: string;
  /** A whole address; a path alone where `host` says the rest. */
  readonly url: string;
  readonly host?: string | undefined;
  /** In their order, names as written. */
  readonly headers: readonly Pair[];
  /** Form text as it travels. */
  readonly body: string;
  /** Remarks on what was read. */
  readonly notes: readonly string[];
}

/** The value of a header, whatever the case of its name; joined when it is repeated, as servers read it. */
export function headerOf({ headers }: Pick<Pasted, 'headers'>, name: string): string | undefined {
  const values = headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

export const formType = 'application/x-www-form-urlencoded';

/** Refuses a body the interface does not take, and which no signature covers. Throws TEXT_INVALID. */
export function requireForm(pasted: Pasted): Pasted {
  const type = headerOf(pasted, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (pasted.body === '') return pasted;
  if (type !== '' && type !== formType) throw unsigned(`the body is sent as ${/^[\w.+/-]{1,60}$/.test(type) ? type : 'another type'}`);
  if (/^\s*[[{]/.test(pasted.body)) throw unsigned('the body is JSON');
  return pasted;
}

function unsigned(what: string): Error {
  const why = `${what}, and a request of the interface carries its fields as ${formType}: no other body is taken, and none is signed`;
  return fail('TEXT_INVALID', { field: 'request', why });
}
