export interface BeginLine {
  readonly label: string;
  readonly at: number;
  /** Where the text behind it starts. */
  readonly end: number;
}

/** The -----BEGIN lines of a text, without those of parameters that stand before some keys. */
export function beginLines(text: string): readonly BeginLine[] {
  return [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)]
    .map(({ 0: whole, 1: label = '', index }) => ({ label, at: index, end: index + whole.length }))
    .filter(({ label }) => !label.endsWith(' PARAMETERS'));
}

/** One PEM block as RFC 7468 lays it out. Header lines are those of OpenSSL's old encryption. */
export function pemText(label: string, der: Uint8Array, headers: readonly string[] = []): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  const above = headers.length === 0 ? [] : [...headers, ''];
  return `${[`-----BEGIN ${label}-----`, ...above, ...lines, `-----END ${label}-----`].join('\n')}\n`;
}
