/**
 * SQL for the two roles of a batch database, a statement a line; a test runs it. The first part comes before the first `batch run
 * --engine`, as whoever may make databases, the second one after it, in that database, as paycli_planner.
 */
export const batchRoles = {
  before: [
    'CREATE ROLE paycli_planner LOGIN;',
    'CREATE ROLE paycli_worker LOGIN;',
    'CREATE DATABASE batches OWNER paycli_planner;',
    'REVOKE ALL ON DATABASE batches FROM PUBLIC;',
    'GRANT CONNECT ON DATABASE batches TO paycli_worker;',
  ],
  after: [
    'GRANT USAGE ON SCHEMA paycli, paycli_jobs TO paycli_worker;',
    'GRANT SELECT ON paycli.meta, paycli.batches TO paycli_worker;',
    'GRANT SELECT ON paycli.gate TO paycli_worker;',
    'GRANT UPDATE (state, attempts, content) ON paycli.gate TO paycli_worker;',
    'GRANT UPDATE (reason, outcome) ON paycli.gate TO paycli_worker;',
    'GRANT UPDATE (order_id, worker, host) ON paycli.gate TO paycli_worker;',
    'GRANT UPDATE (may_have_arrived) ON paycli.gate TO paycli_worker;',
    'GRANT UPDATE (pid, version) ON paycli.gate TO paycli_worker;',
    'GRANT SELECT, INSERT ON paycli.moves TO paycli_worker;',
    'GRANT SELECT, INSERT, UPDATE ON paycli.workers TO paycli_worker;',
    'GRANT SELECT, INSERT, UPDATE ON paycli.paces TO paycli_worker;',
    'GRANT SELECT, INSERT, UPDATE, DELETE ON paycli.unsent TO paycli_worker;',
    'GRANT SELECT ON ALL TABLES IN SCHEMA paycli_jobs TO paycli_worker;',
    'GRANT UPDATE ON paycli_jobs.job TO paycli_worker;',
  ],
} as const;
