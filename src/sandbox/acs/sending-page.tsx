/** The page of the simplified flow, for the merchant to show: it sends the payer's browser on by itself. */
export function sendingPage(address: string): string {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>To your bank</title>
      </head>
      <body onload="document.forms[0].submit()">
        <main>
          <form method="post" action={address}>
            <button type="submit">Go on to your bank</button>
          </form>
        </main>
      </body>
    </html>
  );
  return `<!doctype html>${String(page)}`;
}
