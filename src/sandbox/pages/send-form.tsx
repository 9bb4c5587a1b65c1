import { isLoopback, webAddress } from '../../wire/address.js';
import type { Pair } from '../../wire/form.js';

interface SendProps {
  /** http or https; anything else is shown and not posted to. */
  readonly to: string;
  readonly fields: readonly Pair[];
  readonly label: string;
  /** Milliseconds until the browser goes on by itself, where it may. */
  readonly after: number;
  /** True in a hidden frame, where nobody can press a button and nobody is sent anywhere. */
  readonly always?: true;
}

/**
 * Posts fields from the customer's browser to another place, which is named. To this machine by itself, to other hosts at the
 * press of the button: an order may name any address, and a sandbox should not send browsers around unasked.
 */
export function SendForm({ to, fields, label, after, always }: SendProps) {
  const address = webAddress(to);
  if (address === undefined) return <p class="address">The address to go back to is not usable.</p>;
  const timing = always === true || isLoopback(to) ? { 'data-send': String(after) } : {};
  return (
    <>
      <form method="post" action={to} {...timing}>
        {fields.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit" class="main">
          {label}
        </button>
      </form>
      <p class="address">Goes to {address.origin + address.pathname}</p>
    </>
  );
}
