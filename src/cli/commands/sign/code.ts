import Mustache from 'mustache';
import type { Runtime } from '../../../runtime/ports.js';
import { type ControlEncoding, controlEncoding, type Unsigned } from '../../../signing/index.js';
import { plainHeaders } from '../../../signing/schemes/request.js';
import java from '../../../signing/templates/Request.java';
import csharp from '../../../signing/templates/request.cs';
import node from '../../../signing/templates/request.node.mjs';
import php from '../../../signing/templates/request.php';
import python from '../../../signing/templates/request.py';
import shell from '../../../signing/templates/request.sh';
import { type Operation, type PlainProtection, testNumbers } from '../../../spec/index.js';
import { maskPairs } from '../../../wire/redact.js';
import type { Typed } from '../../core/common-options.js';
import { announce, composeRequest } from '../../fields/resolve.js';
import { type Session, withSession } from '../../session.js';

/** The languages of `--code`. */
export type Language = 'curl' | 'php' | 'node' | 'python' | 'java' | 'csharp';

interface LanguageRow {
  /** A program of that language; section tags of Mustache stand in its remarks, values in its quoted texts. */
  readonly template: string;
  /** A text as it stands between the quotes of the template. */
  readonly escape: (text: string) => string;
  readonly needs: string;
  readonly run: string;
  /** Whether it asks for card data that its environment does not have. */
  readonly asks?: true;
}

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const unicode = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

const languages: Readonly<Record<Language, LanguageRow>> = {
  curl: {
    template: shell,
    escape: (text) => text.replaceAll("'", "'\\''"),
    needs: 'curl, openssl, perl and the usual tools of a POSIX shell',
    run: 'sh request.sh',
    asks: true,
  },
  php: {
    template: php,
    escape: (text) => text.replace(/[\\']/g, '\\$&'),
    needs: 'PHP 7.4 or later, with its openssl extension for RSA',
    run: 'php request.php',
  },
  node: {
    template: node,
    escape: (text) => json(text).replaceAll('\\"', '"').replaceAll("'", "\\'"),
    needs: 'Node.js 18 or later',
    run: 'node request.mjs',
  },
  python: {
    template: python,
    escape: json,
    needs: 'Python 3.7 or later, and the openssl program for RSA',
    run: 'python3 request.py',
    asks: true,
  },
  java: {
    template: java,
    // Before Java 18 a file is read in the character set of the machine; a unicode escape of a line end would be one.
    escape: (text) =>
      text
        .replace(/["\\]/g, '\\$&')
        .replace(/[^\x20-\x7e]/g, (unit) =>
          unit < '\x80' ? `\\${unit.charCodeAt(0).toString(8).padStart(3, '0')}` : unicode(unit),
        ),
    needs: 'Java 11 or later',
    run: 'java Request.java',
  },
  csharp: {
    template: csharp,
    // Compilers differ in how they read a file without a byte order mark.
    escape: (text) => json(text).replace(/[^\x20-\x7e]/g, unicode),
    needs: '.NET, .NET Framework 4.7 or Mono, and before .NET 5 the openssl program for RSA',
    run: 'mcs -r:System.Net.Http.dll request.cs && mono request.exe',
  },
};

const controlKey =
  'It contains no merchant control key: that is read from the file in CONTROL_KEY_FILE, or from CONTROL_KEY.';
const keyRemarks: Readonly<Record<PlainProtection['scheme'], string | undefined>> = {
  control: controlKey,
  'hmac-sha1': controlKey,
  'rsa-sha256': 'It contains no private key: that is read from the PEM file in PRIVATE_KEY_FILE.',
  none: undefined,
};

/** Prints a program that signs and sends this request by itself. No key is read for it. */
export async function runSignCode(name: Language, row: Operation, typed: Typed, runtime: Runtime): Promise<number> {
  return withSession(typed.options, runtime, async (session, report) => {
    const { unsigned, resolved } = await composeRequest(row, typed, session, runtime, false);
    announce(resolved, report);
    const language = languages[name];
    const program = rendered(language, viewOf(unsigned, session, language));
    await report.show({
      isExact: true,
      document: { schema: 'paycli.code/1', operation: row.id, profile: session.name, language: name, program },
      text: () => program,
    });
    return 0;
  });
}

/** A section tag takes the whole line, with the mark of the remark it stands in. */
function rendered({ template, escape: escapeText }: LanguageRow, view: object): string {
  const bare = template.replace(/^[ \t]*(?:\/\/|#)[ \t]*(\{\{[#^/]\w+\}\})[ \t]*$/gm, '$1');
  return new Mustache.Writer().render(bare, view, undefined, { escape: escapeText });
}

/** What the templates name. */
function viewOf(
  unsigned: Unsigned,
  { class: kind, login, assume }: Pick<Session, 'class' | 'login' | 'assume'>,
  language: LanguageRow,
) {
  const { url, endpointId } = unsigned;
  const { scheme } = unsigned.protection;
  const isOauth = scheme === 'hmac-sha1' || scheme === 'rsa-sha256';
  const fields = fieldsToWrite(unsigned, kind === 'sandbox' || (kind === 'test' && holdsTestCard(unsigned)));
  const asked = fields.filter(({ isAsked }) => isAsked).map(({ variable }) => variable);
  return {
    introduction: introduction(unsigned, kind === 'live', asked, language),
    address: url.slice(0, url.lastIndexOf('/') + 1),
    ...{ endpointId, login, fields },
    headers: Object.entries(plainHeaders).map(([name, value]) => ({ name, value })),
    ...viewOfControl(unsigned, controlEncoding(assume)),
    ...(isOauth ? { oauth: true, usesLogin: true, usesBase64: true } : {}),
    method: scheme === 'hmac-sha1' ? 'HMAC-SHA1' : 'RSA-SHA256',
    hmac: scheme === 'hmac-sha1',
    rawKey: assume['hmac-key-encoding'] === 'raw',
    inBody: scheme === 'hmac-sha1' && assume['oauth-in-body'] === 'hmac',
    rsa: scheme === 'rsa-sha256',
    controlKey: scheme === 'control' || scheme === 'hmac-sha1',
    usesKey: scheme !== 'none',
    asks: asked.length > 0,
    usesEnvironment: asked.length > 0 || scheme !== 'none',
  };
}

/** What the checksum is made of; a value that is not sent is looked for in vain, and empty (A06). */
function viewOfControl({ row, pairs, protection, minor }: Unsigned, encoding: ControlEncoding) {
  if (protection.scheme !== 'control') return {};
  const isSent = (wire: string) => pairs.some(([name]) => name === wire);
  const slots = protection.values.map((key) => {
    if (key === 'endpointId') return { isEndpoint: true };
    if (key === 'login' && !isSent('login')) return { isLogin: true };
    return key === 'amount' && isSent('amount') ? { minor } : { field: row.fields[key]?.wire ?? key };
  });
  return {
    ...{ control: true, slots, usesLogin: slots.some(({ isLogin }) => isLogin === true) },
    hexLower: encoding === 'hex-lower',
    hexUpper: encoding === 'hex-upper',
    ...(encoding === 'base64' ? { base64: true, usesBase64: true } : {}),
  };
}

/**
 * The body. Card data is asked for at run time, unless it goes to a sandbox or is a published test card; so is what
 * stands under a name that the operation does not have, since it may be card data.
 */
function fieldsToWrite({ row, pairs, values }: Unsigned, mayHoldCard: boolean) {
  const shown = maskPairs(row, pairs, { showAccounts: true });
  return pairs.map(([wire, text], at) => {
    const [key] =
      Object.entries(row.fields).find(([each, field]) => field.wire === wire && values[each] === text) ?? [];
    const name = key ?? `extra_${at + 1}`;
    const isAsked = !mayHoldCard && shown[at]?.[1] !== text;
    return { wire, isAsked, text: isAsked ? '' : text, variable: name.replace(/[A-Z]/g, '_$&').toUpperCase() };
  });
}

function holdsTestCard({ row, pairs }: Unsigned): boolean {
  const wires = new Set(Object.values(row.fields).flatMap(({ kind, wire }) => (kind === 'cardNumber' ? [wire] : [])));
  const numbers = pairs.filter(([wire]) => wires.has(wire)).map(([, text]) => text);
  return numbers.length > 0 && numbers.every((text) => testNumbers.includes(text));
}

/** The remarks a program begins with: what it does, what it needs, where its secrets come from. */
function introduction(
  { row, protection: { scheme } }: Unsigned,
  isLive: boolean,
  asked: readonly string[],
  { needs, run, asks }: LanguageRow,
): readonly string[] {
  const key = keyRemarks[scheme];
  return [
    `${row.brief} (${row.id}).`,
    ...(isLive && row.effect === 'money' ? ['It targets a live gateway: running it moves real money.'] : []),
    `Needs ${needs}. To run it: ${run}`,
    ...(key === undefined ? [] : [key]),
    ...(asked.length === 0
      ? []
      : [`It contains no card data: that is ${asks === true ? 'asked for, or ' : ''}read from ${asked.join(', ')}.`]),
    ...(row.effect === 'read'
      ? []
      : [
          'Without a reply, or with HTTP 5xx, the request may still have been processed. Query its status first, and',
          'do not send it again while the outcome is unknown, not even under another id.',
        ]),
  ];
}
