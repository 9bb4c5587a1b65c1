import { paymentParts } from './cli/commands/payment-parts.js';
import { start } from './start.js';

// The operations and `sign` alone: loading all commands takes longer than most of them do.
start({ parts: paymentParts });
