const firstOfByte = 0xdc00;

/**
 * Bytes as a text in which each byte beyond ASCII is half of a surrogate pair, as surrogateescape of Python has it: a
 * value in another charset among others in UTF-8. No value that is sent has such a half.
 */
export function textOfBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : firstOfByte + byte)).join('');
}

/** UTF-8, and the bytes that `textOfBytes` put into it. */
export function bytesOfText(text: string): Buffer {
  return Buffer.concat(
    (text.match(/[\udc80-\udcff]+|[^\udc80-\udcff]+/gu) ?? []).map((run) =>
      /^[\udc80-\udcff]/u.test(run)
        ? Buffer.from([...run].map((half) => half.charCodeAt(0) - firstOfByte))
        : Buffer.from(run, 'utf8'),
    ),
  );
}
