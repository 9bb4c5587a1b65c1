/**
 * Commands about a batch that next steps name. What finds an error does not know the way to the database of the batch,
 * so its texts leave these open, in braces, and the command that shows the error fills them in.
 */
export interface BatchCommands {
  /** What continues with it. */
  readonly again: string;
  /** The same on the machine with the plan, querying every row first. */
  readonly recover: string;
  /** What follows `paycli batch continue`, `withdraw` or `report`. */
  readonly batchAndWay: string;
  /** What resolves one of its orders. */
  readonly resolve: string;
}

/** What stands there where nobody knows better. */
export function unnamedCommands(batch: string | number = 'PLAN'): BatchCommands {
  return {
    again: `paycli batch resume ${batch}`,
    recover: `paycli batch resume ${batch} --engine … --after-restore`,
    batchAndWay: String(batch),
    resolve: 'paycli resolve ORDER',
  };
}

export function fillCommands(text: string, commands: BatchCommands): string {
  return text.replace(/\{(again|recover|batchAndWay|resolve)\}/g, (_, name: keyof BatchCommands) => commands[name]);
}
