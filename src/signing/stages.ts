import type { SignatureStages } from './schemes/request.js';

/** Words that name a stage, in the order of the stages. */
export const stageNames = [
  'parameters',
  'address',
  'base-string',
  'string',
  'signature',
  'control',
  'authorization',
] as const;

export type StageName = (typeof stageNames)[number];

/** The texts of a signature. The control key, which follows the values of a checksum, is none of them. */
export function stageTexts(stages: SignatureStages): Partial<Readonly<Record<StageName, string>>> {
  if (stages.scheme === 'none') return {};
  if (stages.scheme === 'control') return { string: stages.string, control: stages.digest };
  const { parts, baseString, signature, header } = stages;
  return {
    parameters: parts.parameters,
    address: parts.url,
    'base-string': baseString,
    signature,
    authorization: header,
  };
}
