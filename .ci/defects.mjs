// Faults that the tests must notice; .ci/planted-defects.mjs plants each in a copy.

/**
 * `what` is the harm to a user. `change` is pairs of a text that must be there once and what takes its place, `also`
 * more of it where several things must be wrong at once; `tests` are a file and the names wanted in it.
 */
export const defects = [
  // Payments
  {
    number: 1,
    what: 'a payment is recorded only once its reply came: after a crash in between nobody knows that money may have moved',
    file: 'src/payments/send.ts',
    change: [
      [
        '  const request = await begin(toSend, journal);\n',
        '  let request = { ...toSend.wanted, mayHaveArrived: false };\n',
      ],
      ['  const isAsked = classified', '  request = await begin(toSend, journal);\n  const isAsked = classified'],
    ],
    tests: ['test/faults/kills.test.ts', 'F3[1-4]'],
  },
  {
    number: 2,
    what: 'a sale whose reply was lost is shown as refused, so the payer is charged a second time',
    file: 'src/payments/classify.ts',
    change: [
      [
        "if (delivery.kind === 'lost') return { class: openClass(context),",
        "if (delivery.kind === 'lost') return { class: 'refused',",
      ],
    ],
    tests: ['test/payments/single.test.ts', 'reply was lost'],
  },
  {
    number: 3,
    what: 'a payment is sent a second time where the connection broke after the first had left',
    file: 'src/payments/exchange.ts',
    change: [
      [
        "delivery.kind === 'never-sent' && !isLast",
        "(delivery.kind === 'never-sent' || delivery.kind === 'lost') && !isLast",
      ],
    ],
    tests: ['test/payments/exchange.test.ts', 'ends with the first attempt'],
  },
  {
    number: 4,
    what: 'a redirect takes a payment, its card and its signature to another address',
    file: 'src/runtime/transport.ts',
    change: [
      [
        'return exchange(agent, { request, replyMs, reset: options.keep !== true, signal });',
        `return exchange(agent, { request, replyMs, reset: options.keep !== true, signal }).then((delivery) =>
        delivery.kind === 'reply' && delivery.reply.status === 307
          ? this.post({ ...request, url: String(delivery.reply.headers['location']) }, replyMs, signal)
          : delivery,
      );`,
      ],
    ],
    tests: ['test/faults/network.test.ts', 'F19 HTTP 307'],
  },
  {
    number: 5,
    what: 'the refusal of a second attempt, which may mean "paid already", is shown as a definite no',
    file: 'src/payments/classify.ts',
    change: [['return context.earlierAttempt\n', 'return false\n']],
    tests: ['test/payments/classify.test.ts', '400, 401, 403 and 404'],
  },
  {
    number: 6,
    what: 'a declined capture is shown as captured, so the shop ships what nobody pays',
    file: 'src/payments/evidence.ts',
    change: [["proves: facts.success ? 'done' : 'declined'", "proves: 'done'"]],
    tests: ['test/accidents/contradicted-approval.test.ts', 'declined later'],
  },
  {
    number: 7,
    what: 'a payment that was approved for another amount is shown as approved as it was sent',
    file: 'src/payments/evidence.ts',
    change: [['shown.every((amount) => amount === undefined ||', 'shown.some((amount) => amount === undefined ||']],
    tests: ['test/accidents/contradicted-approval.test.ts', 'approved for 1.00 of 10.42'],
  },
  {
    number: 8,
    what: 'an older approval of the sale counts as that of a refund that never arrived, so the payer waits for money',
    file: 'src/payments/evidence.ts',
    change: [["if (!isAbout) return 'the status describes another transaction of this order';", '']],
    tests: ['test/faults/settling.test.ts', 'F25 a return'],
  },
  {
    number: 9,
    what: 'a reply about the order of another customer is taken for that to this payment',
    file: 'src/payments/classify.ts',
    change: [["own !== '' && named !== own", "own !== '' && named === ''"]],
    tests: ['test/payments/classify.test.ts', '^200 '],
  },

  // Journal
  {
    number: 10,
    what: 'a power cut takes with it what the journal knew of a payment that had left',
    file: 'src/runtime/database.ts',
    change: [['PRAGMA synchronous = FULL', 'PRAGMA synchronous = OFF']],
    tests: ['test/runtime/database.test.ts', 'full flushes'],
  },
  {
    number: 11,
    what: 'a payment of one merchant is taken for that of another one with the same order id, and not made',
    file: 'src/journal/working-set.ts',
    change: [
      ['other.login === login &&', 'true &&'],
      ['key: { clientOrderId, base, login }', 'key: { clientOrderId, base }'],
    ],
    tests: ['test/journal/sqlite.test.ts', 'has one winner for one client order id'],
  },
  {
    number: 12,
    what: 'a payment that a person wrote down as not paid stays so, although the gateway shows it as paid',
    file: 'src/journal/states.ts',
    change: [["return evidence === 'done' || (isMarked && evidence === 'accepted');", 'return false;']],
    tests: ['test/journal/sqlite.test.ts', 'a conflict says what'],
  },
  {
    number: 13,
    what: 'two refunds of one order that start at the same moment both leave',
    file: 'src/journal/begin.ts',
    change: [["  if (inDoubt !== undefined) return { why: 'order-busy', other: inDoubt };\n", '']],
    tests: ['test/journal/sqlite.test.ts', 'in doubt on an order'],
  },
  {
    number: 14,
    what: 'a payment whose outcome is unknown is sent again as soon as its command is repeated',
    file: 'src/payments/decide.ts',
    change: [
      [
        'if (earlier === undefined || sendableStates.includes(earlier.state))',
        "if (earlier === undefined || sendableStates.includes(earlier.state) || earlier.state === 'unknown')",
      ],
    ],
    also: [
      {
        file: 'src/journal/states.ts',
        change: [["begin: { planned: ['sending'],", "begin: { planned: ['sending'], unknown: ['sending'],"]],
      },
    ],
    tests: ['test/payments/single.test.ts', 'asked about, and never sent again'],
  },
  {
    number: 15,
    what: 'the same sale typed twice within a few minutes, without an order id, is paid twice',
    file: 'src/journal/find.ts',
    change: [['other.payment = wanted.payment AND', 'false AND']],
    tests: ['test/accidents/paid-twice.test.ts', 'is refused in a script'],
  },
  {
    number: 16,
    what: 'a refund that a colleague made on another machine is made a second time',
    file: 'src/cli/commands/operation/follow-up.ts',
    change: [['if (isExplained) return;', 'if (isExplained || own.length === 0) return;']],
    tests: ['test/accidents/paid-elsewhere.test.ts', 'before a return the gateway'],
  },
  {
    number: 17,
    what: 'payouts go on leaving above the cap of the day',
    file: 'src/journal/begin.ts',
    change: [['if (before + BigInt(counted.units) <= toUnits(cap))', 'if (BigInt(counted.units) <= toUnits(cap))']],
    tests: ['test/journal/sqlite.test.ts', 'counts at once'],
  },
  {
    number: 18,
    what: 'a sale repeated with another comment is refused as a different payment, and a lost one stays lost',
    file: 'src/spec/fields.ts',
    change: [['const incidental = { incidental: true } as const;', 'const incidental = {} as const;']],
    tests: ['test/cli/settled-manually.test.ts', 'what is said beside'],
  },

  // Batch
  {
    number: 19,
    what: 'a row whose sender was killed goes back to those not sent, and is paid twice',
    file: 'src/journal/settle.ts',
    change: [["by: 'gone', to: 'unknown'", "by: 'gone', to: 'not_sent'"]],
    also: [
      {
        file: 'src/journal/states.ts',
        change: [["gone: { sending: ['unknown'] }", "gone: { sending: ['not_sent'] }"]],
      },
    ],
    tests: ['test/batch/run.test.ts', 'F31-F34'],
  },
  {
    number: 20,
    what: 'a batch that goes on after a crash sends the row again that was on its way',
    file: 'src/journal/states.ts',
    change: [
      ["begin: { planned: ['sending'],", "begin: { planned: ['sending'], unknown: ['sending'],"],
      [
        "export const unsentStates: States = ['planned', 'not_sent'];",
        "export const unsentStates: States = ['planned', 'not_sent', 'unknown'];",
      ],
    ],
    tests: ['test/batch/run.test.ts', 'F31-F34'],
  },
  {
    number: 21,
    what: 'a wrong field or key costs many rows of a batch, as others leave before the first has its outcome',
    file: 'src/batch/run.ts',
    change: [['return this.#canary.number === undefined && this.#sending === 0;', 'return true;']],
    tests: ['test/batch/run.test.ts', 'one row goes to its final answer first'],
  },
  {
    number: 22,
    what: 'a batch sends all its rows to a gateway from which no reply comes any more',
    file: 'src/batch/breaker.ts',
    change: [["if (areConsecutive('unknown'))", "if (areConsecutive('planned'))"]],
    tests: ['test/batch/run.test.ts', 'five unknown outcomes'],
  },
  {
    number: 23,
    what: 'a payout that stands twice in a file is planned twice',
    file: 'src/batch/make-plan.ts',
    change: [['[...faultsOf(row), ...this.#repeated(row)]', 'faultsOf(row)']],
    tests: ['test/batch/plan-faults.test.ts', 'F50: one id twice'],
  },
  {
    number: 24,
    what: 'a file that comes to another total than the one expected is planned',
    file: 'src/batch/expected-content.ts',
    change: [['wanted.minor !== BigInt(total.minor)', 'wanted.minor === undefined']],
    tests: ['test/batch/plan.test.ts', 'F59: control totals one cent'],
  },
  {
    number: 25,
    what: 'a file of returns that were sent before is planned, and sends them again',
    file: 'src/batch/make-plan.ts',
    change: [['else if (met !== undefined) this.#refuse(', "else if (met?.is === 'planned') this.#refuse("]],
    tests: ['test/batch/plan-refusals.test.ts', 'a row that was sent before'],
  },
  {
    number: 26,
    what: 'a checked payout is paid although its amount at the gateway was changed since',
    file: 'src/batch/pay.ts',
    change: [['shown?.minor === sum.minor &&', 'shown !== undefined &&']],
    tests: ['test/batch/pay.test.ts', 'with another amount'],
  },
  {
    number: 27,
    what: 'a payout that the statement shows with another amount is reported as equal',
    file: 'src/batch/reconcile.ts',
    change: [
      [
        '(requested.units === money.units && requested.currency === money.currency)',
        '(requested.currency === money.currency)',
      ],
    ],
    tests: ['test/batch/reconcile.test.ts', 'disagree both ways'],
  },

  // Wire
  {
    number: 28,
    what: 'an amount loses a cent, as it is read as a floating-point number',
    file: 'src/wire/amount.ts',
    change: [
      [
        '  const { whole, fraction = ',
        `  const value = Math.round(Number(text) * 10 ** digits);
  if (value > 0 && Number.isFinite(value)) return { ok: true, minor: BigInt(value) as Minor };
  const { whole, fraction = `,
      ],
    ],
    tests: ['test/wire/amount.test.ts', 'parseAmount'],
  },
  {
    number: 29,
    what: '10.5 USD is sent as 1.05 USD',
    file: 'src/wire/amount.ts',
    change: [["BigInt(whole + fraction.padEnd(digits, '0'))", 'BigInt(whole + fraction)']],
    tests: ['test/wire/amount.test.ts', 'reads 10.5 USD'],
  },
  {
    number: 30,
    what: 'a card number that a gateway repeats in groups of four is printed and logged',
    file: 'src/wire/mask.ts',
    change: [['\\d{4}([ -])', '\\d{4}(-)']],
    tests: ['test/wire/mask.test.ts', 'withoutCardNumbers'],
  },
  {
    number: 31,
    what: 'an order id of 19 digits is shown with other last digits, and asked about with them',
    file: 'src/wire/reply.ts',
    change: [
      [
        'return { name, text: value.value, isJson: false };',
        'return { name, text: String(Number(value.value)), isJson: false };',
      ],
    ],
    tests: ['test/wire/reply.test.ts', 'a JSON reply'],
  },
  {
    number: 32,
    what: 'the + of a phone number or an e-mail address arrives as a space',
    file: 'src/wire/form.ts',
    change: [['encoded = encodeURIComponent(text);', "encoded = encodeURIComponent(text).replaceAll('%2B', '+');"]],
    tests: ['test/wire/form.test.ts', 'encodeForm'],
  },
  {
    number: 33,
    what: 'cards go unencrypted over the network to a gateway with an http address',
    file: 'src/wire/address.ts',
    change: [["url.protocol === 'http:' && !isLoopback(url.href)", "url.protocol === 'ftp:' && !isLoopback(url.href)"]],
    tests: ['test/wire/address.test.ts', 'parseBaseUrl'],
  },

  // Signing
  {
    number: 34,
    what: 'every sale is signed over 10.42 in place of 1042, and the gateway refuses all',
    file: 'src/signing/schemes/control-scheme.ts',
    change: [["isAmount(row, name) && given !== '' ? minor : given", 'given']],
    tests: ['test/signing/control-scheme.test.ts', 'carries the checksum of the vector'],
  },
  {
    number: 35,
    what: 'a forged callback passes as genuine, so a shop ships what nobody paid',
    file: 'src/signing/schemes/callback-control.ts',
    change: [['? text : text.toLowerCase()', "? text : ''"]],
    tests: ['test/signing/library.test.ts', 'verifyCallback'],
  },
  {
    number: 36,
    what: 'a request that repeats a field is signed over its values in another order, and refused',
    file: 'src/signing/schemes/oauth1.ts',
    change: [['return a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]);', 'return a[0] > b[0];']],
    tests: ['test/signing/vectors.test.ts', 'RFC 5849'],
  },
  {
    number: 37,
    what: 'a signature with a + or / in it stands unencoded in its header, and the gateway refuses it',
    file: 'src/signing/schemes/oauth-scheme.ts',
    change: [['percentEncode(signature)]', 'signature]']],
    tests: ['test/faults/inputs.test.ts', 'signed by OAuth, the sandbox finds'],
  },
  {
    number: 38,
    what: 'payouts are signed with RSA-SHA1 in place of RSA-SHA256, and refused',
    file: 'src/signing/schemes/oauth1.ts',
    change: [["      'sha256',\n      Buffer.from(baseString", "      'sha1',\n      Buffer.from(baseString"]],
    tests: ['test/signing/oauth-scheme.test.ts', 'signed aside'],
  },
  {
    number: 39,
    what: 'a short RSA key, which others can break, is taken to sign payouts',
    file: 'src/signing/keys/rsa-keys.ts',
    change: [['const minBits = 2048;', 'const minBits = 512;']],
    tests: ['test/signing/keys.test.ts', '1024 bits'],
  },
  {
    number: 40,
    what: 'each payout after the first is refused, as its nonce was used before',
    file: 'src/payments/exchange.ts',
    change: [['nonce: ports.random.letters(32)', "nonce: 'n'.repeat(32)"]],
    tests: ['test/cli/outcomes.test.ts', 'nonce of its own'],
  },
  {
    number: 41,
    what: 'a developer who signs 10.42 in place of 1042 is not told so',
    file: 'src/signing/diagnose/control-value-rows.ts',
    change: [['    ...amountRows(given),\n', '']],
    tests: ['test/signing/diagnose/control.test.ts', 'decimal-amount, as-sent'],
  },

  // Sandbox
  {
    number: 42,
    what: 'the sandbox forgets a refund whose outcome is unknown, so a shop that pays it back twice passes its tests',
    file: 'src/sandbox/balance.ts',
    change: [["status === 'processing' || status === 'unknown')", "status === 'processing')"]],
    tests: ['test/sandbox/lifecycle.test.ts', 'whose outcome nobody knows'],
  },
  {
    number: 43,
    what: 'the sandbox captures more than was held, so the mistake shows in production only',
    file: 'src/sandbox/operations.ts',
    change: [['if (amount > left) {', 'if (amount > 10n * left) {']],
    tests: ['test/sandbox/lifecycle.test.ts', 'a hold gives no more than it holds'],
  },
  {
    number: 44,
    what: 'the sandbox approves an expired card',
    file: 'src/sandbox/fields.ts',
    change: [['isReadable && hasExpired({ month, year }, now)', 'isReadable && hasExpired({ month, year }, 0)']],
    tests: ['test/sandbox/expired-cards.test.ts', 'a sale'],
  },
  {
    number: 45,
    what: 'the sandbox takes a used nonce, so a client that repeats them is refused in production only',
    file: 'src/sandbox/checks.ts',
    change: [['if (changes === 0) throw', 'if (changes === 2) throw']],
    tests: ['test/sandbox/signatures.test.ts', 'a nonce counts once'],
  },
  {
    number: 46,
    what: 'the sandbox makes a second order under a used client order id',
    file: 'src/sandbox/gateway.ts',
    change: [["if (rule === 'pay') return undefined;", "if (rule !== '') return undefined;"]],
    tests: ['test/sandbox/lifecycle.test.ts', 'A20'],
  },
  {
    number: 47,
    what: 'the sandbox charges a payer who failed 3-D Secure',
    file: 'src/sandbox/threeds.ts',
    change: [["tdsResult === 'AUTHENTICATED' && isOutcomeName(planned)", 'isOutcomeName(planned)']],
    tests: ['test/sandbox/threeds.test.ts', 'a payer who is not authenticated'],
  },
  {
    number: 48,
    what: 'the sandbox takes any checksum, so a wrong signature shows in production only',
    file: 'src/signing/schemes/control-scheme.ts',
    change: [
      [
        'return equalInConstantTime(controlChecksum(texts, merchant.controlKey.open(), { encoding }), given)\n',
        "return given !== ''\n",
      ],
    ],
    tests: ['test/sandbox/signatures.test.ts', 'the checksum'],
  },

  // Configuration and live guard
  {
    number: 49,
    what: 'a script for the test profile moves real money once that profile is live, as --live is not asked for',
    file: 'src/cli/session.ts',
    change: [["session.class === 'live' && live !== true", "session.class === 'live' && live === false"]],
    tests: ['test/cli/live.test.ts', 'without --live on that command line'],
  },
  {
    number: 50,
    what: 'any answer to the question before a live payment lets it leave',
    file: 'src/cli/session.ts',
    change: [['if (typed === login) return;', "if (typed !== '') return;"]],
    tests: ['test/cli/live.test.ts', 'moves money only with the login typed'],
  },
  {
    number: 51,
    what: 'a payment above the limit that a profile sets for one payment leaves',
    file: 'src/payments/limits.ts',
    change: [['toUnits(counts) > toUnits(limit)', 'toUnits(counts) > 1000n * toUnits(limit)']],
    tests: ['test/cli/live-caps.test.ts', 'lets its own amount through'],
  },
  {
    number: 52,
    what: 'a test profile with the address of the live gateway moves real money',
    file: 'src/config/profile-class.ts',
    change: [['if (known !== undefined) throw refuse(`live (', 'if (known === host) throw refuse(`live (']],
    tests: ['test/config/classes.test.ts', "class 'test' at"],
  },
  {
    number: 53,
    what: 'a key file that every user of the machine can read is taken without a word',
    file: 'src/config/secrets.ts',
    change: [['!facts.isPrivate', '!facts.isTrusted']],
    tests: ['test/config/secrets.test.ts', 'is readable by'],
  },
  {
    number: 54,
    what: 'a payment in euros goes to the endpoint for dollars',
    file: 'src/config/connection.ts',
    change: [
      [
        "specific.find((each) => each !== undefined) ?? values['endpoint-id']",
        "values['endpoint-id'] ?? specific.find((each) => each !== undefined)",
      ],
    ],
    tests: ['test/config/profile.test.ts', 'the endpoint for'],
  },

  // Command line
  {
    number: 55,
    what: 'a currency that was typed is replaced by the one of the profile',
    file: 'src/cli/fields/collect.ts',
    change: [
      ['if (value === undefined || Object.hasOwn(this.values, key)) return;', 'if (value === undefined) return;'],
    ],
    tests: ['test/cli/input-json.test.ts', 'a flag goes before'],
  },
  {
    number: 56,
    what: 'the security code of a card is shown on the screen while it is typed',
    file: 'src/cli/fields/prompt.ts',
    change: [["const hidden = secrecy === 'secret' || field.kind === 'cardNumber';", 'const hidden = false;']],
    tests: ['test/cli/input.test.ts', 'ask for what is missing'],
  },
  {
    number: 57,
    what: 'a script ships what was declined, as a declined sale ends with exit code 0',
    file: 'src/cli/print-reply.ts',
    change: [['        ? exits.ok\n        : exits.declined', '        ? exits.ok\n        : exits.ok']],
    tests: ['test/cli/outcomes.test.ts', 'exit 5'],
  },
  {
    number: 58,
    what: 'a script takes a sale whose outcome nobody knows for one that is only pending',
    file: 'src/cli/print-reply.ts',
    change: [['if (isUnknownWord(word)) return exits.unknown;', '']],
    tests: ['test/cli/outcomes.test.ts', "status 'unknown'"],
  },
  {
    number: 59,
    what: 'a declined payment is printed with the mark of success',
    file: 'src/cli/format/meaning.ts',
    change: [["tone: facts.success ? 'good' : 'bad',", "tone: 'good',"]],
    tests: ['test/cli/failed-follow-up.test.ts', 'says which transaction was declined'],
  },
  {
    number: 60,
    what: 'a person settles by hand a payment that another process is still sending, and pays a second time',
    file: 'src/cli/commands/journal/resolve-by-hand.ts',
    change: [["  if (request.state === 'sending') throw", '  if (request.id < 0) throw']],
    also: [
      {
        file: 'src/journal/states.ts',
        change: [
          [
            "person: { unknown: ['done', 'declined'],",
            "person: { sending: ['done', 'declined'], unknown: ['done', 'declined'],",
          ],
        ],
      },
    ],
    tests: ['test/cli/settled-manually.test.ts', 'while the sender lives'],
  },
];
