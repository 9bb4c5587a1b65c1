/** How a sandbox is started. */
export interface StartOptions {
  /** False for a sandbox without a port, which only its `fetch` reaches. */
  readonly listen?: boolean;
  /** Any free one when left out. */
  readonly port?: number;
  /** How long a transaction stays processing, in milliseconds; 0 when left out: the first status is final. */
  readonly settleMs?: number;
  /** The same ids and control key in every run. */
  readonly seed?: string;
}

export interface MerchantOfSandbox {
  readonly login: string;
  /** The ends of paths; the first takes any currency. */
  readonly endpoints: readonly string[];
  readonly controlKey: string;
  /** PEM; made when it is first read, which takes a moment. */
  readonly privateKey: string;
}

export interface OrderOfSandbox {
  readonly orderId: string;
  readonly clientOrderId: string;
  /** The operation that made it, such as SALE. */
  readonly operation: string;
  /** Its newest transaction, such as sale or capture, and the status of that. */
  readonly latest: string;
  readonly status: string;
  /** In minor units. */
  readonly minor: bigint | undefined;
  readonly currency: string | undefined;
}

export interface RequestOfSandbox {
  readonly at: Date;
  readonly operation: string | undefined;
  /** In words. */
  readonly title: string;
  readonly isRefused: boolean;
  readonly httpStatus: number;
  readonly orderId: string | undefined;
  /** Masked: no card number, security code or checksum. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface FindingOfSandbox {
  readonly rule: string;
  readonly title: string;
  readonly fix: string;
  readonly detail: string;
  readonly count: number;
}

/** The global `fetch`, where the program's types have it. */
type Fetch = typeof globalThis extends { fetch: infer Global }
  ? Global
  : (url: string, init?: object) => Promise<{ readonly status: number; text(): Promise<string> }>;

/** A gateway for tests. */
export interface SandboxForTests {
  /** The address that operation paths follow. */
  readonly url: string;
  /**
   * Asks this sandbox without a socket, for a client that takes a `fetch`. Any other address fails, as lost and late
   * replies do: with a TypeError, or when its signal says so.
   */
  readonly fetch: Fetch;
  readonly merchant: MerchantOfSandbox;
  readonly outcomes: {
    /** The outcome of the next request, or of the next one with this client order id; see `paycli sandbox outcomes`. */
    next(name: string, clientOrderId?: string): void;
  };
  readonly clock: {
    now(): Date;
    /** 7d, 12h, 30m or 10s; callbacks that are due by then are delivered. */
    advance(duration: string): Promise<void>;
  };
  readonly callbacks: {
    /** How the callbacks of an order are delivered, such as `late`, `twice` or `forged`. */
    script(name: string, clientOrderId: string): void;
  };
  /**
   * Takes the payer of an order through every page that is open: 3-D Secure, or a hosted form, into which the named test
   * card is typed. The order is named by either id, or by the address of its page.
   */
  pay(order: string, payer?: { readonly does?: 'confirm' | 'fail' | 'cancel'; readonly testCard?: string }): void;
  /** In the order they were made. */
  orders(): readonly OrderOfSandbox[];
  /** The newest thousand, oldest first. */
  requests(): readonly RequestOfSandbox[];
  /** What the client did wrong. */
  audit(): readonly FindingOfSandbox[];
  /** Deletes all orders, and keeps the keys. */
  reset(): void;
  stop(): Promise<void>;
}
