import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { operationById } from '../../../spec/index.js';
import { defineCommand, statusExits } from '../../core/define-command.js';
import { seconds } from '../../core/flags.js';
import { checkLive } from '../../core/live/confirm.js';
import { withSession } from '../../core/open-session.js';
import { connectionFlags, liveFlag, timeoutFlag } from '../../core/options.js';
import { planArgument, planNamed } from './ask-plan.js';
import { lockPlan, withPlan } from './plan-files.js';
import { type MoveFlags, PlanMove } from './plan-move.js';
import { checkPlanProfile } from './preflight.js';

const command = 'batch move';

export const batchMove = defineCommand<MoveFlags>({
  name: 'batch move',
  summary: 'Move a plan to another engine',
  help: `Move a plan from its engine to another one. From its first run, a plan belongs to one engine: either the journal of this machine or one PostgreSQL database. Any other engine refuses it with exit 10, and no single command sends one of its orders from elsewhere, because that would pay it a second time.

It works on the machine that planned the file, with the old engine reachable and no other process using it: 1. the status of rows with an open outcome is queried; as long as one stays open, the plan stays where it is. 2. The old engine is closed for this plan: a late worker gets no rows. 3. What was sent is written into the new one, in one step with the plan. The gateway gets status requests only. If the move is interrupted, neither engine sends, and the same command continues where it stopped; until the plan has arrived, --to with the old engine cancels the move. Then \`paycli batch resume\` continues with the new flags.

Plans with card numbers stay on this machine. Exit codes: 0 it runs on the new engine; 10 it cannot be moved now (the reason is shown); 13 a database or the disk failed: run it again.`,
  args: [planArgument],
  options: [
    ['--to <engine>', 'local, or the address of a database such as postgres://user@host/database'],
    ['--wait-timeout <time>', 'poll open rows for this long (5m; built-in sandbox: 5s)'],
    timeoutFlag,
    liveFlag,
    ['--no-input', 'never prompt'],
    { heading: 'Several machines:' },
    ['--row-key-file <file>', 'the row encryption key shared by all workers (the same as for `batch run`)'],
    ['--engine <address>', 'the old database, if its address has changed'],
    ['--engine-password-file <file>', 'file with the password of the database (mode 0600)'],
    ...connectionFlags,
  ],
  examples: [
    'batch move $PLAN --to postgres://paycli@db.example/batches --row-key-file rows.key',
    'batch move $PLAN --to local',
  ],
  effect: 'read',
  network: true,
  exits: statusExits,
  note: 'It queries the status of open rows, and sends no payment.',
  prints: ['batch-move'],
  run: async ({ args: [plan], options, runtime }) =>
    runBatchMove(await planNamed(plan, 'batch move', options, runtime), options, runtime),
});

/**
 * Takes a plan from the engine it runs on to another one, with all that was sent of it. Sends nothing but questions.
 */
async function runBatchMove(name: string, flags: MoveFlags, runtime: Runtime): Promise<number> {
  if (flags.to === undefined) throw fail('moveTargetMissing', { command });
  const to = flags.to;
  seconds('--wait-timeout', flags.waitTimeout, 3600);
  return withSession(flags, runtime, (session, report) =>
    withPlan(
      name,
      command,
      runtime,
      async (plan, journal) => {
        checkPlanProfile(plan.head, session);
        checkLive(operationById('STATUS'), flags, session);
        if (!session.canAskStatus) throw fail('STATUS_UNSIGNABLE', { name: session.name });
        const lock = await lockPlan(plan.head, runtime);
        try {
          return await new PlanMove(
            plan,
            journal,
            { ...flags, to },
            { options: flags, session, report, runtime },
          ).run();
        } finally {
          lock.release();
        }
      },
      'read',
    ),
  );
}
