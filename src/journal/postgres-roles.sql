-- Four eyes on a shared journal, in two roles. Its owner runs this once the tables are there, then gives each person a
-- login that is a member of exactly one of the two:
--   CREATE ROLE anna LOGIN PASSWORD '…' IN ROLE paycli_planner;
--   CREATE ROLE ben LOGIN PASSWORD '…' IN ROLE paycli_approver;
-- Who approves is the login itself, which the database enters: nobody can approve in another one's name.
CREATE ROLE paycli_planner NOLOGIN;
CREATE ROLE paycli_approver NOLOGIN;

-- A planner plans, sends and settles, and approves nothing. Nobody changes or deletes events and approvals.
GRANT SELECT ON ALL TABLES IN SCHEMA public TO paycli_planner, paycli_approver;
GRANT INSERT, UPDATE ON request, batch, seen, spent, meta TO paycli_planner;
GRANT INSERT ON event TO paycli_planner, paycli_approver;
GRANT INSERT, DELETE ON payload TO paycli_planner;
GRANT INSERT, UPDATE, DELETE ON worker TO paycli_planner;
GRANT INSERT (batch, digest, total, at) ON approval TO paycli_approver;
