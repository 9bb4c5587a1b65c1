/**
 * Commands about a batch that next steps name. What finds an error does not know the flags of the profile, so its texts
 * leave these open, in braces, and the command that shows the error fills them in.
 */
export interface BatchCommands {
  /** What continues with it. */
  readonly again: string;
  /** What resolves one of its orders. */
  readonly resolve: string;
}

/** What stands there where nobody knows better. */
export function unnamedCommands(batch: string | number = 'PLAN'): BatchCommands {
  return {
    again: `paycli batch run ${batch}`,
    resolve: 'paycli resolve ORDER',
  };
}

export function fillCommands(text: string, commands: BatchCommands): string {
  return text.replace(/\{(again|resolve)\}/g, (_, name: keyof BatchCommands) => commands[name]);
}
