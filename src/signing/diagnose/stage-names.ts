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
