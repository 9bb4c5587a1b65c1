import { decodedOrSame, percentEncode } from '../../wire/form.js';
import type { Mistake, OauthMistakeName } from './diagnosis.js';
import { nameOfEncoder } from './encoder-mistakes.js';
import { asLinks, elementsOtherwise, joiningMarks, markWords } from './joining-mistakes.js';
import { type Elements, type OauthParts, textWith } from './oauth-parts.js';
import { otherMethods } from './protocol-mistakes.js';
import { formMistake, textForms } from './rare-keys.js';
import { encodedBy, type PercentEncoder, percentEncoders } from './writings/percent-encoders.js';

/**
 * A way to make a base string wrongly out of one whose elements are encoded well, whatever parameters it has and in
 * whatever order: it can follow any mistake of those.
 */
export interface TextChange {
  readonly mistake: Mistake<OauthMistakeName>;
  /** The third element, or any piece of it that cuts no escape. */
  readonly piece?: (text: string) => string;
  readonly uri?: (text: string) => string;
  /** Puts the elements together. */
  readonly frame?: (elements: Elements) => string;
}

export function changedText(change: TextChange, { method, uri, parameters }: Elements): string {
  const elements = {
    method,
    uri: change.uri === undefined ? uri : change.uri(uri),
    parameters: change.piece === undefined ? parameters : change.piece(parameters),
  };
  return change.frame === undefined ? joined(elements) : change.frame(elements);
}

const joined = ({ method, uri, parameters }: Elements) => `${method}&${uri}&${parameters}`;

/** Each that changes this request, once; those of encoders first. */
export function textChanges(parts: OauthParts): TextChange[] {
  const seen = new Set([textWith(parts, {})]);
  const all = [
    ...depthChanges,
    ...encoderChanges(parts),
    ...joiningChanges,
    ...frameChanges,
    ...protocolChanges(parts),
    ...formChanges,
  ];
  return all.filter((change) => {
    const text = changedText(change, parts.elements);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

const change = (
  name: OauthMistakeName,
  variant: string,
  detail: string,
  changes: Omit<TextChange, 'mistake'>,
): TextChange => ({ mistake: { name, variant, detail }, ...changes });

const decoded = decodedOrSame;
const once = (text: string) => text.replaceAll('%25', '%');
const twice = (text: string) => text.replaceAll('%25', '%2525');
const wrongDepth = (variant: string, detail: string, changes: Omit<TextChange, 'mistake'>) =>
  change('encoded-twice-or-once', variant, detail, changes);

const depthChanges: readonly TextChange[] = [
  wrongDepth('parameters-raw', 'names and values not encoded before they were joined', { piece: once }),
  wrongDepth('parameters-twice', 'names and values encoded twice, %2525 where %25 is expected', { piece: twice }),
  wrongDepth('element-raw', 'the joined parameters not encoded again: raw & and = in the third element', {
    piece: decoded,
  }),
  wrongDepth('elements-raw', 'address and joined parameters not encoded again', { piece: decoded, uri: decoded }),
  wrongDepth('everything-raw', 'nothing encoded at all', { piece: (text) => decoded(once(text)), uri: decoded }),
  wrongDepth('element-twice', 'the joined parameters encoded twice more instead of once', { piece: percentEncode }),
];

// Other charsets are for single mistakes: each would be as many again.
const encoders = percentEncoders.filter(
  ({ of, beyond, isOfAll }) => isOfAll !== true && (beyond === undefined || beyond === 'raw' || isLatin(of, beyond)),
);

function isLatin(of: string, beyond: PercentEncoder['beyond']): boolean {
  return beyond === 'latin-1' && /^(?:a strict encoder|Java's URLEncoder)$/.test(of);
}

/** The values as each of the named functions encodes them, and the elements by the same function or rightly. */
function encoderChanges({ ordered }: OauthParts): TextChange[] {
  const texts = ordered.flatMap(({ plain }) => plain);
  const hasBlank = texts.some((text) => text.includes(' '));
  return encoders.flatMap((encoder) => {
    const encode = (text: string) => encodedBy(encoder, text);
    const [name, variant] = nameOfEncoder(encoder, hasBlank);
    const detail = `values encoded as ${encoder.of} does; they must be encoded as RFC 3986 requires`;
    return [
      change(name, variant, detail, {
        piece: rewriting(escapesInside(encode, encode), encode, encode),
        uri: rewriting(escapesAround(encode), encode),
      }),
      change(name, variant, detail, {
        piece: rewriting(escapesInside(encode, percentEncode), encode, percentEncode),
      }),
    ];
  });
}

type Encode = (text: string) => string;

const signs = Array.from({ length: 0x5f }, (_, at) => String.fromCharCode(0x20 + at)).filter(
  (char) => !/[A-Za-z0-9]/.test(char),
);

/** What an element has for each character and sign of joining, and what it has by this function. */
function escapesInside(encode: Encode, outer: Encode): Map<string, string> {
  const rows = signs.map((char): [string, string] => [percentEncode(percentEncode(char)), outer(encode(char))]);
  const marks = ['=', '&'].map((mark): [string, string] => [percentEncode(mark), outer(mark)]);
  return new Map([...rows, ...marks].filter(([own, other]) => own !== other));
}

function escapesAround(encode: Encode): Map<string, string> {
  return new Map(
    signs.map((char): [string, string] => [percentEncode(char), encode(char)]).filter(([own, other]) => own !== other),
  );
}

/** Letters beyond ASCII are taken together, as their escapes stand. */
function rewriting(rows: ReadonlyMap<string, string>, encode: Encode, outer?: Encode): Encode {
  const wide = outer === undefined ? /(?:%[89A-F][0-9A-F])+/ : /(?:%25[89A-F][0-9A-F])+/;
  const known = new Map(rows);
  const escapes = [...rows.keys()].map((text) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'));
  const any = new RegExp([wide.source, ...escapes].join('|'), 'g');
  const written = (found: string) => {
    const letters = outer === undefined ? decoded(found) : decoded(once(found));
    const text = outer === undefined ? encode(letters) : outer(encode(letters));
    known.set(found, text);
    return text;
  };
  return (text) => text.replace(any, (found) => known.get(found) ?? written(found));
}

const joiningChanges: readonly TextChange[] = joiningMarks.map(([between, within]) => {
  const [mark, sign] = [percentEncode(between), percentEncode(within)];
  return wrongDepth(
    'joined-otherwise',
    `parameters joined with ${markWords(between)}, name and value with ${markWords(within)}; they must be joined with & and =`,
    { piece: (text) => text.replaceAll('%26', mark).replaceAll('%3D', sign) },
  );
});

const otherwise = (detail: string, frame: (elements: Elements) => string, isPlain = false): TextChange => ({
  mistake: elementsOtherwise(detail),
  frame,
  ...(isPlain ? { piece: decoded, uri: decoded } : {}),
});

const frameChanges: readonly TextChange[] = [
  ...[false, true].flatMap((isPlain) => [
    otherwise('only the parameters signed', ({ parameters }) => parameters, isPlain),
    otherwise('no method signed', ({ uri, parameters }) => `${uri}&${parameters}`, isPlain),
    otherwise('no address signed', ({ method, parameters }) => `${method}&${parameters}`, isPlain),
    ...['', '\n', ' ', '|', ','].map((mark) =>
      otherwise(
        `the elements joined with ${markWords(mark)}`,
        ({ method, uri, parameters }) => [method, uri, parameters].join(mark),
        isPlain,
      ),
    ),
    ...asLinks.map(({ detail, text }) => otherwise(detail, text, isPlain)),
  ]),
  ...['&', '='].map((end) =>
    wrongDepth('joined-otherwise', `a ${end} signed after the last parameter`, {
      frame: (elements) => joined(elements) + percentEncode(end),
    }),
  ),
  change('sort-order', 'descending', 'sorted backwards; they must be sorted by encoded name, then by encoded value', {
    frame: ({ method, uri, parameters }) => `${method}&${uri}&${parameters.split('%26').reverse().join('%26')}`,
  }),
];

/** Parameters of the protocol that hold something else; they keep their places. */
function protocolChanges({ given }: OauthParts): TextChange[] {
  const replaced = (name: string, value: string, other: string) => {
    const start = `${name}%3D`;
    const [own, made] = [start + percentEncode(percentEncode(value)), start + percentEncode(percentEncode(other))];
    return { frame: (elements: Elements) => joined(elements).replace(own, made) };
  };
  const { signatureMethod, timestamp } = given;
  return [
    ...otherMethods[signatureMethod].map((name) =>
      change(
        'rsa-key-or-method',
        name === '' ? 'method-empty' : `method-${name}`,
        `oauth_signature_method=${name} signed; it must be ${signatureMethod}`,
        replaced('oauth_signature_method', signatureMethod, name),
      ),
    ),
    change('nonce-timestamp', 'milliseconds', 'oauth_timestamp signed in milliseconds; it must be in seconds', {
      ...replaced('oauth_timestamp', timestamp, `${timestamp}000`),
    }),
    ...(given.hasVersion
      ? [
          change('empty-values', 'version-left-out', 'oauth_version not signed, although it is sent', {
            frame: (elements) => joined(elements).replace(/%26oauth_version%3D1\.0|oauth_version%3D1\.0%26/, ''),
          }),
        ]
      : []),
  ];
}

// A mark before or behind the text is beside another mistake in the search of pairs.
const formChanges: readonly TextChange[] = textForms
  .filter(([words]) => !words.startsWith('with "'))
  .map(([words, write]) => ({ mistake: formMistake(words), frame: (elements) => write(joined(elements)) }));
