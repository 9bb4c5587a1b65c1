import { encodeMethodNotification } from '../../threeds/index.js';
import { Layout } from '../pages/layout.js';
import { SendForm } from '../pages/send-form.js';

/** What runs in the hidden frame of the method step. A bank would look at the browser here. */
export function MethodPage({ tdsId, notificationUrl }: { readonly tdsId: string; readonly notificationUrl: string | undefined }) {
  return (
    <Layout title="Method step of 3-D Secure" {...(notificationUrl === undefined ? {} : { script: 'send.js' as const })}>
      <h1>Method step done</h1>
      {notificationUrl === undefined ? (
        <p>The bank has seen the browser.</p>
      ) : (
        <SendForm
          to={notificationUrl}
          fields={[['threeDSMethodData', encodeMethodNotification(tdsId)]]}
          label="Tell the merchant"
          after={0}
          always
        />
      )}
    </Layout>
  );
}
