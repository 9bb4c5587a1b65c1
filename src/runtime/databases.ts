/** Databases as interfaces; see `ports.ts`. */

export type SqlValue = string | number | bigint | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

export interface Database {
  exec(sql: string): void;
  /** `lastId` is the row id of the newest insert on this connection. */
  run(sql: string, ...values: SqlValue[]): { readonly changes: number; readonly lastId: number };
  get(sql: string, ...values: SqlValue[]): SqlRow | undefined;
  all(sql: string, ...values: SqlValue[]): SqlRow[];
  /** Runs `work` inside one immediate transaction; rolled back when it throws. */
  transaction<T>(work: () => T): T;
  close(): void;
}

export interface DatabaseOpener {
  /** Opens or creates a file (mode 0600, folder 0700) in WAL mode with full flushes; `:memory:` for none. */
  open(path: string): Database;
}

/** A PostgreSQL database, and how far its certificate is checked. */
export interface PostgresAddress {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** `none` is for this machine only. */
  readonly tls: 'none' | 'full';
  /** PEM text of the authorities to trust instead of the usual ones. */
  readonly ca?: string | undefined;
  readonly password?: string | undefined;
}

/**
 * `lost`: the connection is gone, or cannot be made for now; what was not committed did not happen. `disturbed`: another
 * transaction was in the way, and nothing happened. `rule`: a row breaks a rule of its table.
 */
export interface PostgresFault extends Error {
  readonly fault: 'lost' | 'disturbed' | 'rule' | 'other';
  /** Without the text of the server, which may repeat what a row holds. */
  readonly why: string;
}

/** Throws a `PostgresFault`. */
export interface PostgresConnection {
  /** Without values it may be several statements; the rows are those of the last one. Whole numbers are numbers. */
  query(sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Gives it back, or ends it where it may be broken. */
  release(isBroken: boolean): void;
}

export interface PostgresPool {
  connect(): Promise<PostgresConnection>;
  end(): Promise<void>;
}
