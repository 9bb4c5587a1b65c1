// Adds payouts that were carried out to a journal with one request, as the journal would have written them, but in seconds.
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

const columns = `kind, operation, effect, base, endpoint, login, profile, class, minor, currency, digits, content, payment, state,
  attempt, worker, created_at, begun_at, changed_at, reason, outcome, may_have_arrived, is_elsewhere, counted`;

/** `folder` holds the journal; each new one is like its first request under an id of its own, and was sent today. */
export function fillJournal(folder, count) {
  const database = new DatabaseSync(join(folder, 'requests.db'));
  database.exec(`PRAGMA synchronous = OFF; BEGIN;
    CREATE TEMP TABLE numbers AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n;
    INSERT INTO request (id, client_order_id, order_id, ${columns})
      SELECT (SELECT max(id) FROM request) + i, printf('filled-%07d', i), printf('8%07d', i), ${columns.replace('content, payment', 'content || i, payment || i')}
      FROM numbers, (SELECT * FROM request LIMIT 1);
    INSERT INTO event (id, nonce, request, from_state, to_state, at, who, reason, facts)
      SELECT (SELECT max(id) FROM event) + 2 * i + step - 1, 'filled', (SELECT max(id) FROM request) - ${count} + i, was, now, at, who, reason, '{}'
      FROM numbers, (SELECT 0 AS step, 'planned' AS was, 'sending' AS now UNION ALL SELECT 1, 'sending', 'done'),
        (SELECT at, who, reason FROM event LIMIT 1);
    COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`);
  database.close();
}
