import { fail } from '../errors/index.js';

const usualWay = '`paycli batch resume PLAN --engine … --after-restore`';

/** Rows may look unsent that were sent. `resume` is the command that asks about them. */
export function olderDatabase(resume: string = usualWay): Error {
  return fail('STORAGE', {
    what: 'the batch database',
    why: 'it lacks rows and moves that were seen in it: it was restored from a backup or made anew, so rows may look unsent that were sent',
    how: `nothing more is sent; ${resume} asks the gateway about every row before it goes on`,
  });
}
