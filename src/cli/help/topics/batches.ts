import { batchRoles } from '../batch-roles.js';
import { type Block, heading, lines, type Topic, table, terms, text } from './block.js';

export const batchesTopic: Topic = {
  brief: 'files of many payments: plan, approve, run, resume; on a schedule',
  blocks: () => [
    text(
      'A file is checked as a whole and frozen before anything is sent; then every row is sent once, and after a crash the rest. One machine keeps the rows in its journal, several share a PostgreSQL database; the commands are the same.',
    ),
    terms(
      ['paycli batch plan FILE --operation payout', 'checks every row, adds up, finds duplicates, freezes; nothing is sent'],
      ['paycli batch approve PLAN --key-file KEY', 'a second person types totals and digest and signs; stands for 72 hours'],
      ['paycli batch run PLAN', 'one row to its end first, then four at once, then all'],
      ['paycli batch resume PLAN', 'asks about rows whose end is open, then sends what was never sent'],
      ['paycli batch report PLAN', 'what became of every row, as files'],
      ['paycli batch reconcile STATEMENT', 'holds a statement against the journal, both ways'],
    ),
    heading('Two persons'),
    text(
      'Planner and approver differ by key and by user id of the system; no variable of the environment names anybody. The approver works on an account of their own: copy the plan, approve the copy there, take the approval in here. What two persons are worth rests on who may write the approvers into the configuration file of the account that runs.',
    ),
    lines(
      '# there: paycli batch approve ./PLAN.db --key-file K --approval-file F',
      'paycli batch approve PLAN --approval-file PLAN.approval',
    ),
    heading('What may be killed'),
    text(
      'Anything, at any moment. A row is written down before it leaves, so at most the rows on their way are in doubt; resume asks the gateway about those and never sends them again. In count and in money, planned = done + declined + refused + not sent + unknown + accepted + left; the summary says so.',
    ),
    heading('One engine'),
    text(
      'From its first run on a plan belongs to this machine or to one database (--engine). Every other refuses it with 10 and names the command that is right; `paycli batch move PLAN --to local`, or --to a database, takes it elsewhere with all that was sent. A database or a state folder restored from a backup is refused; `paycli batch resume PLAN … --after-restore` asks the gateway about every row before it goes on.',
    ),
    heading('Two steps'),
    text(
      'A plan of payout-check has the gateway validate every recipient without money. `paycli batch run PLAN --pay` then freezes exactly what was validated as a plan of its own and pays that; what changed since is refused.',
    ),
    ...severalMachines(),
    ...onSchedule(),
  ],
};

function severalMachines(): readonly Block[] {
  return [
    heading('The database of several machines'),
    text(
      'What decides what is sent stands under MACs with the row key (HMAC-SHA-256; the rows in AES-256-GCM): the head of the plan with its operation and digest, the server, the rate, each row with its number, and the leave to send it once. Every worker checks them before each row, and the approval by its own profile and approvers. So the owner of the tables without the key can stop a batch, read order ids and amounts, and tell lies about how a row ended; they cannot change what is sent, or have a row sent twice, gate rules on or off.',
    ),
    text(
      'Not held against: whoever has the row key, and a superuser of the server who changes its files or restores an older copy of them (see --after-restore). A batch that was changed goes on once `paycli batch resume PLAN --engine … --after-restore`, where it was planned, has asked about every row; so does one that an earlier paycli put in. No status answer tells whether a capture or a return was sent: finish such batches with the version that began them.',
    ),
    text('Two roles are enough, and neither is a superuser. The planner owns the tables and puts batches in, as whoever makes databases:'),
    lines(...batchRoles.before),
    text(
      'the worker, for `paycli batch work`, cannot change a batch; in that database, as paycli_planner, once the first run has made the tables:',
    ),
    lines(...batchRoles.after),
    text('sslmode=verify-ca in the address needs sslrootcert=FILE; without one only verify-full tells the server apart.'),
  ];
}

function onSchedule(): readonly Block[] {
  return [
    heading('On a schedule'),
    text('One line in a crontab; --expect-count and --expect-total come from whoever made the file:'),
    lines('0 2 * * *  cd /srv/payouts && PAYCLI_PROFILE=shop-test ./nightly.sh'),
    text('and nightly.sh, which never pays a file twice: started again it ends with 10 and names the plan to resume.'),
    lines(
      '#!/bin/sh',
      'plan=$(paycli batch plan today.csv --operation payout --no-input \\',
      '  --expect-count "$COUNT" --expect-total "EUR=$TOTAL" \\',
      "  --template '{{plan}}') || exit",
      'paycli batch run "$plan" --no-input --quiet; code=$?',
      'while [ $code = 7 ]; do',
      '  sleep 600; paycli batch resume "$plan" --no-input --quiet; code=$?',
      'done',
      'paycli batch report "$plan"; exit $code',
    ),
    table(
      ['exit', 'what to do'],
      [
        ['0', 'nothing: every row is done'],
        ['5', 'look at the declined rows in results.csv'],
        ['7', 'run resume later: the gateway still works on some'],
        ['8', 'look at unknown.csv; resume asks again, nothing is sent twice'],
        ['10', 'read why: a cap, an approval, totals, or the file was planned before'],
        ['12', 'rows were left or refused: mend what stopped it, then resume'],
        ['13', 'disk or lock: mend it, then resume'],
      ],
    ),
    text('A timer of systemd with Type=oneshot and SuccessExitStatus=5 7 does the same.'),
  ];
}
