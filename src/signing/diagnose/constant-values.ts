import type { Mistake } from './diagnosis.js';
import { printedTypes } from './writings/keys.js';
import { nothingWords } from './writings/nothing.js';

/** What a program prints for a thing that is no text: equal to what was refused, whatever was signed. */
export function constantMistake(signature: string): Mistake<'digest'> | undefined {
  for (const word of [...printedTypes, ...nothingWords])
    for (const text of new Set([word, Buffer.from(word).toString('base64'), Buffer.from(word).toString('hex')]))
      if (text === signature)
        return {
          name: 'digest',
          variant: 'constant',
          detail: `${JSON.stringify(word)} sent in its place, as a program prints a value that is not text`,
        };
  return undefined;
}
