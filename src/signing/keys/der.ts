/** The little of DER (X.690) that tells one kind of key file from another. Decoding keys is left to node:crypto. */

export interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Head and content. */
  readonly whole: Uint8Array;
}

const tags = { integer: 0x02, bitString: 0x03, octetString: 0x04, objectId: 0x06, sequence: 0x30 } as const;

const letters: Readonly<Record<number, string>> = {
  [tags.integer]: 'i',
  [tags.bitString]: 'b',
  [tags.octetString]: 'o',
  [tags.objectId]: 'd',
  [tags.sequence]: 's',
};

/** The parts of a SEQUENCE that fills the bytes to the last one; undefined when they hold anything else. */
export function partsOf(der: Uint8Array): readonly Element[] | undefined {
  const outer = elementAt(der, 0);
  if (outer?.tag !== tags.sequence || outer.whole.length !== der.length) return undefined;
  const parts: Element[] = [];
  for (let at = 0; at < outer.content.length; ) {
    const part = elementAt(outer.content, at);
    if (part === undefined) return undefined;
    parts.push(part);
    at += part.whole.length;
  }
  return parts;
}

/** One letter per part: i INTEGER, b BIT STRING, o OCTET STRING, d OBJECT IDENTIFIER, s SEQUENCE, x anything else. */
export function shapeOf(der: Uint8Array): string | undefined {
  return partsOf(der)
    ?.map(({ tag }) => letters[tag] ?? 'x')
    .join('');
}

/** Follows positions into nested SEQUENCEs. */
export function partAt(der: Uint8Array, ...path: readonly number[]): Element | undefined {
  let found: Element | undefined;
  let within = der;
  for (const at of path) {
    found = partsOf(within)?.[at];
    if (found === undefined) return undefined;
    within = found.whole;
  }
  return found;
}

/** 1.2.840.113549.1.5.13 and the like; undefined when the element is no OBJECT IDENTIFIER. */
export function objectId(element: Element | undefined): string | undefined {
  if (element?.tag !== tags.objectId) return undefined;
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of element.content) {
    arc = arc * 128 + (byte & 0x7f);
    if ((byte & 0x80) !== 0) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [joined = 0, ...rest] = arcs;
  const first = Math.min(Math.floor(joined / 40), 2);
  return [first, joined - first * 40, ...rest].join('.');
}

function elementAt(bytes: Uint8Array, start: number): Element | undefined {
  const [tag, first] = bytes.subarray(start, start + 2);
  if (tag === undefined || first === undefined) return undefined;
  const extra = first < 0x80 ? 0 : first & 0x7f;
  // Four bytes of length are more than any key has.
  if (first === 0x80 || extra > 4) return undefined;
  const head = 2 + extra;
  const length = extra === 0 ? first : bytes.subarray(start + 2, start + head).reduce((sum, byte) => sum * 256 + byte, 0);
  const end = start + head + length;
  if (end > bytes.length) return undefined;
  return { tag, content: bytes.subarray(start + head, end), whole: bytes.subarray(start, end) };
}
