/** Which alphabet a text uses; `either` when none of its characters tells. */
export type Variant = 'base64' | 'base64url' | 'either';

/** Whether the last group is filled up; `none` when it is full by itself. */
export type Padding = 'none' | 'present' | 'left out' | 'wrong';

export interface Base64Reading {
  readonly bytes: Buffer;
  readonly variant: Variant;
  readonly padding: Padding;
}

/** Reads Base64 of either alphabet; undefined for any other text. Line breaks and blanks between the characters are passed over. */
export function readBase64(text: string): Base64Reading | undefined {
  const dense = text.replace(/\s+/g, '');
  const [, bare = '', tail = ''] = /^([A-Za-z0-9+/_-]+)(=*)$/.exec(dense) ?? [];
  const isPlain = /[+/]/.test(bare);
  const isUrl = /[-_]/.test(bare);
  if (bare === '' || bare.length % 4 === 1 || (isPlain && isUrl)) return undefined;
  return {
    bytes: Buffer.from(bare, 'base64'),
    variant: isUrl ? 'base64url' : isPlain ? 'base64' : 'either',
    padding: paddingOf(bare.length, tail.length),
  };
}

function paddingOf(length: number, signs: number): Padding {
  const wanted = (4 - (length % 4)) % 4;
  if (signs !== wanted && signs !== 0) return 'wrong';
  if (wanted === 0) return 'none';
  return signs === 0 ? 'left out' : 'present';
}
