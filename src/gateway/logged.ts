import { withoutFormValues } from '../wire/redact.js';

/** How a reply is masked for the log. */
export interface LogMasks {
  /** The value of a field as the screen shows it. */
  field(name: string, value: string): string;
  /** Any text, masked without knowing what it is. */
  logged(text: string): string;
}

const text = String.raw`"(?:[^"\\]|\\.)*(?:"|$)`;
const bare = String.raw`[^\s"{}[\],]+`;
// A text, and behind the name of a member its value, at any depth of JSON, whole or cut; a list or an object is told by its members.
const members = new RegExp(String.raw`(${text})(?:(\s*:\s*)(${text}|${bare}))?`, 'gs');
const codeName = String.raw`"[^"]{0,99}(?:cvv|cvc|csc|cvn|security[-_ ]?code)[^"]{0,99}"\s*:\s*`;
const codeMembers = new RegExp(String.raw`(${codeName})(?:${text}|\{[^{}]*\}|\[[^[\]]*\]|${bare})`, 'gis');

/**
 * The body of a reply for the log, in which nothing is masked less than on the screen: each value is masked by its name first, then the
 * whole text. Addresses end behind the host. What stays stays as it came, blanks included.
 */
export function loggedBody(body: string, { field, logged }: LogMasks): string {
  const maskedValue = (name: string, text: string) => {
    const masked = field(name, text);
    return logged(/^\s*</.test(masked) ? withoutFormValues(masked) : masked);
  };
  if (/^\s*[{[]/.test(body)) {
    const masked = body.replace(codeMembers, '$1"•••"').replace(members, (whole, name: string, colon?: string, value?: string) => {
      if (colon === undefined || value === undefined) return whole;
      const before = textOf(value);
      const after = maskedValue(textOf(name), before);
      return after === before ? whole : `${name}${colon}${JSON.stringify(after)}`;
    });
    return logged(masked);
  }
  if (!/^[^\s=<]+=/.test(body)) return logged(body);
  const pairs = body.split('&').map((pair) => {
    const [, name = pair, value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    const before = decoded(pair);
    const after = `${logged(decoded(name))}=${maskedValue(decoded(name), decoded(value))}`;
    return after === before ? pair : after;
  });
  return pairs.join('&');
}

/** The text of a value in JSON; one that cannot be read stays as it is written. */
function textOf(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value.slice(1, -1);
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
