// Faults that the tests must notice; .ci/planted-defects.mjs plants each in a copy.

/**
 * `change` is pairs of a text that must be there and what takes its place, `also` more of it where several things must
 * be wrong at once; `tests` are a file and the names wanted in it.
 */
export const defects = [
  {
    number: 1,
    what: 'the journal is written after the request was sent',
    file: 'src/cli/core/submit.ts',
    change: [
      ['    record?.begin();\n', ''],
      ['  record?.recordResult(', '  record?.begin();\n  record?.recordResult('],
    ],
    tests: ['test/faults/kills.test.ts', 'F3[1-4]'],
  },
  {
    number: 2,
    what: 'the journal is written without a flush',
    file: 'src/runtime/database.ts',
    change: [['PRAGMA synchronous = FULL', 'PRAGMA synchronous = OFF']],
    tests: ['test/faults/disk.test.ts', 'F39 a flush that fails'],
  },
  {
    number: 3,
    what: 'a timeout counts as a no',
    file: 'src/payments/classify.ts',
    change: [
      [
        "if (delivery.kind === 'lost') return { class: openClass(context),",
        "if (delivery.kind === 'lost') return { class: 'refused',",
      ],
    ],
    tests: ['test/faults/network.test.ts', 'F9'],
  },
  {
    number: 4,
    what: 'a reset is sent again',
    file: 'src/payments/exchange.ts',
    change: [["delivery.kind !== 'never-sent' ||", "(delivery.kind !== 'never-sent' && delivery.kind !== 'lost') ||"]],
    tests: ['test/faults/network.test.ts', 'F5'],
  },
  {
    number: 5,
    what: 'a redirect 307 is followed',
    file: 'src/runtime/transport.ts',
    change: [
      [
        'const reply = await exchange(client, sending);',
        `let reply = await exchange(client, sending);
    if (reply.status === 307) {
      const url = new URL(String(reply.headers['location']), sending.url);
      reply = await exchange(new Client(url.origin), { ...sending, url });
    }`,
      ],
    ],
    tests: ['test/faults/network.test.ts', 'F19'],
  },
  {
    number: 6,
    what: 'a row whose sender is gone goes back to those not sent',
    file: 'src/payments/transitions.ts',
    change: [
      [
        "export const abandoned: Transition = {\n  to: 'unknown',",
        "export const abandoned: Transition = {\n  to: 'not_sent',",
      ],
    ],
    tests: ['test/batch/run.test.ts', 'F31-F34'],
  },
  {
    number: 7,
    what: 'resume sends a row again that was being sent',
    file: 'src/journal/plan.ts',
    change: [
      [
        "    case 'refused':\n      return { do: 'send', intent: earlier };\n    case 'sending':",
        "    case 'refused':\n    case 'sending':\n      return { do: 'send', intent: earlier };",
      ],
    ],
    also: [
      { file: 'src/journal/states.ts', change: [["  sending: ['not_sent',", "  sending: ['sending', 'not_sent',"]] },
      {
        file: 'src/batch/engines/local.ts',
        change: [['this.#openByOrder(openStates)', "this.#openByOrder(['unknown'])"]],
      },
    ],
    tests: ['test/batch/run.test.ts', 'F31-F34'],
  },
  {
    number: 8,
    what: 'a nonce is used again',
    file: 'src/payments/nonce.ts',
    change: [['nonce: ports.random.letters(32)', "nonce: 'n'.repeat(32)"]],
    tests: ['test/faults/inputs.test.ts', 'F29, F30'],
  },
  {
    number: 9,
    what: 'an amount is read as a floating-point number',
    file: 'src/wire/amount.ts',
    change: [
      [
        '  const mistake = amountMistake(text);\n  const right =',
        `  const value = Math.round(Number(text) * 10 ** digits);
  if (value > 0 && Number.isFinite(value)) return { ok: true, minor: BigInt(value) as Minor };
  const mistake = amountMistake(text);
  const right =`,
      ],
    ],
    tests: ['test/faults/inputs.test.ts', 'F55'],
  },
  {
    number: 10,
    what: 'the key of an intent lacks the endpoint',
    file: 'src/journal/intent.ts',
    change: [['JSON.stringify([base, endpointId, clientOrderId])', 'JSON.stringify([base, clientOrderId])']],
    tests: ['test/journal/plan.test.ts', 'an opening operation repeated'],
  },
  {
    number: 11,
    what: 'the redactor misses a card number in groups',
    file: 'src/wire/card-number.ts',
    change: [['\\d{4}([ -])', '\\d{4}(-)']],
    tests: ['test/wire/redact.test.ts', ''],
  },
  {
    number: 12,
    what: 'HTTP 400 on a second attempt counts as refused',
    file: 'src/payments/classify.ts',
    change: [['return context.earlierAttempt\n', 'return false\n']],
    tests: ['test/faults/network.test.ts', 'F21'],
  },
  {
    number: 13,
    what: 'evidence of a payment that somebody settled as not paid is dropped',
    file: 'src/journal/states.ts',
    change: [
      ["if (ended.state === 'declined') return evidence === 'done' || (isManual && evidence === 'accepted');", ''],
    ],
    tests: ['test/journal/conflict.test.ts', 'later evidence'],
  },
  {
    number: 14,
    what: 'two follow-ups of one order leave at the same moment',
    file: 'src/journal/plan.ts',
    change: [
      [
        "  if (intent.kind !== 'follow-up') return;\n  const busy",
        "  if (intent.kind !== 'opening') return;\n  const busy",
      ],
    ],
    tests: ['test/journal/conflict.test.ts', 'of two follow-ups'],
  },
  {
    number: 15,
    what: 'a living sender is overruled by hand',
    file: 'src/cli/commands/journal/resolve-manually.ts',
    change: [
      [
        "if (isBeingSent(intent, runtime)) throw fail('INTENT_BUSY', { what: describeIntent(intent), pid: intent.sender.pid });",
        '',
      ],
    ],
    tests: ['test/cli/settled-manually.test.ts', 'while the sender lives'],
  },
  {
    number: 16,
    what: 'a plan runs on any engine',
    file: 'src/batch/engine-binding.ts',
    change: [
      [
        'return JSON.stringify(partsOf(one)) === JSON.stringify(partsOf(other));',
        'return partsOf(one) !== partsOf(other);',
      ],
    ],
    tests: ['test/batch/one-engine.test.ts', "'postgres', then 'other' by batch run and batch resume"],
  },
  {
    number: 17,
    what: 'another comment makes another payment',
    file: 'src/spec/fields.ts',
    change: [['({ ...base, incidental: true })', '({ ...base })']],
    tests: ['test/cli/settled-manually.test.ts', 'what is said beside'],
  },
];
