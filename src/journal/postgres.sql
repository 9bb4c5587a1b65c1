-- The tables of a shared journal. paycli makes them at first use, where its role may; else their owner runs this once.
-- The file of a journal of one machine has the same, in the words of SQLite (see tables.ts).
CREATE TABLE meta (
  name text PRIMARY KEY, value text NOT NULL
);
CREATE TABLE batch (
  rowid bigint GENERATED ALWAYS AS IDENTITY, id text PRIMARY KEY, digest text NOT NULL, head json NOT NULL,
  state text NOT NULL, canary text NOT NULL, rows_left bigint, created_at bigint NOT NULL
);
CREATE TABLE approval (
  rowid bigint GENERATED ALWAYS AS IDENTITY, batch text NOT NULL REFERENCES batch, digest text NOT NULL,
  total text NOT NULL, role text NOT NULL DEFAULT session_user, at bigint NOT NULL
);
CREATE TABLE request (
  id bigint PRIMARY KEY, batch text REFERENCES batch, number bigint,
  kind text NOT NULL, operation text NOT NULL, effect text NOT NULL, base text NOT NULL, endpoint text NOT NULL,
  login text NOT NULL, profile text NOT NULL, class text NOT NULL, client_order_id text, order_id text,
  minor text, currency text, digits bigint, card4 text, content text NOT NULL, payment text,
  state text NOT NULL, attempt bigint NOT NULL, worker text, created_at bigint NOT NULL, begun_at bigint,
  changed_at bigint NOT NULL, ask_at bigint, reason text NOT NULL, outcome json NOT NULL, raised json,
  may_have_arrived boolean NOT NULL, is_elsewhere boolean NOT NULL, waits_for text, counted json
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX one_payment_per_id ON request (client_order_id, base, login)
  WHERE kind = 'payment' AND state <> 'cancelled';
CREATE UNIQUE INDEX request_of_batch ON request (batch, number) WHERE batch IS NOT NULL;
CREATE INDEX request_unsent ON request (batch, number) WHERE state IN ('planned', 'not_sent');
CREATE INDEX request_of_order ON request (order_id, base) WHERE order_id IS NOT NULL;
CREATE INDEX request_of_client ON request (client_order_id) WHERE client_order_id IS NOT NULL;
CREATE INDEX request_by_payment ON request (payment, id) WHERE payment IS NOT NULL;
CREATE INDEX request_by_content ON request (content, id) WHERE payment IS NULL;
CREATE INDEX request_by_state ON request (kind, state, profile);
CREATE INDEX request_pending ON request (state, id) WHERE state IN ('sending', 'unknown', 'accepted');
-- Beside the requests, whose rows are written anew with each change: copies of it would stay in free pages.
CREATE TABLE payload (
  request bigint PRIMARY KEY REFERENCES request, encrypted text NOT NULL
);
CREATE TABLE event (
  id bigint PRIMARY KEY, nonce text NOT NULL, request bigint REFERENCES request, from_state text, to_state text,
  at bigint NOT NULL, who text NOT NULL, reason text NOT NULL, facts json NOT NULL
);
CREATE INDEX event_of_request ON event (request);
CREATE TABLE seen (
  id bigint PRIMARY KEY, base text NOT NULL, order_id text NOT NULL, login text NOT NULL, profile text NOT NULL,
  class text NOT NULL, client_order_id text, status text NOT NULL, type text, minor text, currency text, digits bigint,
  card4 text, at bigint NOT NULL, outcome json NOT NULL, UNIQUE (base, order_id)
);
CREATE TABLE spent (
  base text NOT NULL, login text NOT NULL, currency text NOT NULL, day bigint NOT NULL, units numeric NOT NULL,
  PRIMARY KEY (base, login, currency, day)
);
CREATE TABLE worker (
  worker text PRIMARY KEY, host text NOT NULL, pid bigint NOT NULL, boot text NOT NULL,
  seen_at bigint NOT NULL
);
