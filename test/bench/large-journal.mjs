// Fills an empty journal with sales and payouts that were carried out, as the journal itself would have written them, but in seconds.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

const sender = {
  host: 'here',
  pid: 1,
  version: '0.1.0',
  boot: '00000000-0000-4000-8000-000000000000',
  namespace: 'pid:[4026531836]',
  started: '1',
};

/** `folder` holds a journal without entries; all of them were sent today, one cent each, by `profile`. */
export function fillJournal(folder, count, profile = 'shop', now = Date.now()) {
  const path = join(folder, 'journal.db');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  const addLine = database.prepare('INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const columns = [
    ...[
      'key',
      'kind',
      'operation',
      'effect',
      'base',
      'endpoint_id',
      'login',
      'profile',
      'class',
      'client_order_id',
      'sequence',
    ],
    ...[
      'minor',
      'currency',
      'last_four',
      'content',
      'made_at',
      'digits',
      'order_id',
      'state',
      'attempts',
      'may_have_arrived',
    ],
    ...['changed_at', 'reason', 'outcome', 'host', 'pid', 'version', 'boot', 'namespace', 'started'],
    ...['counted_day', 'counted_units', 'counted_currency'],
  ];
  const addIntent = database.prepare(`INSERT INTO intents (${columns}) VALUES (${columns.map(() => '?')})`);
  const day = now - (now % 86_400_000);
  const base = 'https://gate.example/pay';
  let end = { count: 0, hash: '' };
  const line = (intent, from, to, facts, reason = '') => {
    const made = [end.count + 1, intent, from, to, now, reason, facts];
    const hash = createHash('sha256')
      .update(`${end.hash}\n${JSON.stringify(made)}`)
      .digest('hex');
    addLine.run(...made, hash);
    end = { count: end.count + 1, hash };
  };
  const outcome = {
    type: 'async-response',
    status: 'approved',
    'serial-number': '01234567-89ab-4cde-8f01-23456789abcd',
  };
  for (let id = 1; id <= count; id += 1) {
    const order = `order-${String(id).padStart(7, '0')}`;
    const content = createHash('sha256').update(order).digest('hex');
    const place = [base, '4001', 'my-shop', profile, 'test'];
    const lasting = [
      JSON.stringify([base, '4001', order]),
      'opening',
      'PAYOUT',
      'money',
      ...place,
      order,
      1,
      '1',
      'EUR',
      null,
      content,
      now,
      2,
    ];
    const state = ['done', 1, 1, now, 'by a status reply', JSON.stringify(outcome)];
    addIntent.run(...lasting, String(id), ...state, ...Object.values(sender), day, '100', 'EUR');
    line(id, '', 'planned', JSON.stringify(lasting));
    line(id, 'planned', 'sending', JSON.stringify({ ...sender, attempt: 1, counts: { minor: '1', currency: 'EUR' } }));
    line(id, 'sending', 'done', JSON.stringify({ ...sender, orderId: String(id), outcome }), 'by a status reply');
  }
  database.prepare('INSERT INTO day_totals VALUES (?, ?, ?, ?)').run(profile, 'EUR', day, String(100n * BigInt(count)));
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  writeFileSync(`${path}.tail.json`, `${JSON.stringify(end)}\n`, { mode: 0o600 });
}
