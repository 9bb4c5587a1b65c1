/** The look of every hosted page: one column, the fonts of the system, light and dark. */
export const style = `
:root {
  color-scheme: light dark;
  --back: #f3f5f8; --face: #ffffff; --text: #171b21; --soft: #525c69; --line: #dfe4ea; --edge: #78838f;
  --mark: #1f4fd1; --on-mark: #ffffff; --mark-soft: #e9effd; --bad: #b3261e; --bad-soft: #fdeeed; --good: #0b6b3c; --good-soft: #e6f5ec;
  --wait: #7a4b00; --wait-soft: #fdf3e0; --shadow: 0 1px 2px rgb(20 30 50 / 8%), 0 8px 28px rgb(20 30 50 / 8%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0f1217; --face: #181c23; --text: #e9ecf0; --soft: #a9b3bf; --line: #2b323c; --edge: #74808e;
    --mark: #8fb3ff; --on-mark: #0b1730; --mark-soft: #1b2740; --bad: #ffb4ab; --bad-soft: #351c1b; --good: #80dba8; --good-soft: #14291f;
    --wait: #f5c571; --wait-soft: #2e2413; --shadow: 0 1px 2px rgb(0 0 0 / 40%);
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere;
}
.ribbon { background: var(--wait-soft); color: var(--wait); text-align: center; padding: .4rem 1rem; font-size: .875rem; }
main { flex: 1; width: 100%; max-width: 31rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
.panel { background: var(--face); border: 1px solid var(--line); border-radius: 16px; box-shadow: var(--shadow); padding: 1.75rem; }
@media (max-width: 30rem) { .panel { padding: 1.25rem; } main { padding-top: 1rem; } }
.merchant { margin: 0; color: var(--soft); font-size: .9375rem; }
h1 { margin: .15rem 0 0; font-size: 1.125rem; line-height: 1.35; font-weight: 600; }
h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
.amount { margin: .35rem 0 0; font-size: 2rem; line-height: 1.2; font-weight: 650; letter-spacing: -.015em; font-variant-numeric: tabular-nums; }
.amount abbr { font-size: 1.125rem; font-weight: 600; color: var(--soft); text-decoration: none; letter-spacing: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 1rem 0 0; padding: 1rem 0 0; border-top: 1px solid var(--line); font-size: .9375rem; }
dt { color: var(--soft); } dd { margin: 0; text-align: right; }
form { margin: 1.5rem 0 0; }
.field { margin: 0 0 1.125rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1rem; align-items: start; }
@media (max-width: 24rem) { .pair { grid-template-columns: 1fr; } }
label, legend { display: block; font-weight: 600; font-size: .9375rem; padding: 0; }
.hint { margin: .1rem 0 0; color: var(--soft); font-size: .875rem; }
.hint + button { margin-top: .625rem; }
input:not([type=radio]) {
  display: block; width: 100%; margin-top: .375rem; padding: .6875rem .8125rem; border: 1px solid var(--edge); border-radius: 10px;
  background: var(--face); color: var(--text); font: inherit; font-variant-numeric: tabular-nums;
}
input[aria-invalid=true] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
.error { margin: .35rem 0 0; color: var(--bad); font-size: .875rem; font-weight: 500; }
.error:empty { display: none; }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
button {
  display: block; width: 100%; padding: .8125rem 1rem; border: 1px solid transparent; border-radius: 10px; font: inherit; font-weight: 600; cursor: pointer;
}
button.main { background: var(--mark); color: var(--on-mark); }
button.main:hover { filter: brightness(1.08); }
button.quiet { margin-top: .625rem; background: transparent; color: var(--text); border-color: var(--edge); }
button.quiet:hover { background: var(--back); }
.notice { margin: 1.25rem 0 0; padding: .875rem 1rem; border-radius: 10px; background: var(--mark-soft); }
.notice p { margin: 0; } .notice p + p, .notice ul { margin: .35rem 0 0; }
.notice ul { padding-left: 1.25rem; }
.notice.bad { background: var(--bad-soft); color: var(--bad); } .notice.bad a { color: inherit; }
.notice.good { background: var(--good-soft); color: var(--good); }
.notice.wait { background: var(--wait-soft); color: var(--wait); }
.notice strong { font-weight: 650; }
fieldset { border: 0; margin: 0 0 1.125rem; padding: 0; min-width: 0; }
.choices { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem; margin-top: .5rem; }
.choices label { display: flex; align-items: center; gap: .5rem; padding: .6875rem .8125rem; border: 1px solid var(--edge); border-radius: 10px; font-weight: 500; cursor: pointer; }
.choices label:has(:checked) { border-color: var(--mark); background: var(--mark-soft); box-shadow: inset 0 0 0 1px var(--mark); }
.choices label:has(:focus-visible) { outline: 3px solid var(--mark); outline-offset: 2px; }
.choices input { accent-color: var(--mark); margin: 0; width: 1.125rem; height: 1.125rem; outline: none; }
form:has(#to-card:checked) .to-bank, form:has(#to-card:checked) .to-phone, form:has(#to-card:checked) .to-wallet,
form:has(#to-bank:checked) .to-card, form:has(#to-bank:checked) .to-phone, form:has(#to-bank:checked) .to-wallet,
form:has(#to-phone:checked) .to-card, form:has(#to-phone:checked) .to-bank, form:has(#to-phone:checked) .to-wallet,
form:has(#to-wallet:checked) .to-card, form:has(#to-wallet:checked) .to-bank, form:has(#to-wallet:checked) .to-phone { display: none; }
details { margin: 1.25rem 0 0; color: var(--soft); font-size: .9375rem; }
summary { cursor: pointer; color: var(--text); font-weight: 500; width: fit-content; }
details ul { list-style: none; margin: .5rem 0 0; padding: 0; }
details li { padding: .5rem 0; border-top: 1px solid var(--line); }
code { font: .9375em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; color: var(--text); }
.code { display: block; margin: .25rem 0 0; font-size: 1.75rem; font-weight: 600; letter-spacing: .2em; color: inherit; }
.spinner { width: 2.25rem; height: 2.25rem; margin: 1.75rem auto .5rem; border: 3px solid var(--line); border-top-color: var(--mark); border-radius: 50%; animation: turn 1s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .spinner { animation-duration: 6s; } }
.centre { text-align: center; }
.address { color: var(--soft); font-size: .875rem; margin: .75rem 0 0; }
footer { padding: 0 1rem 1.5rem; text-align: center; color: var(--soft); font-size: .875rem; }
[hidden] { display: none !important; }
`;

/** Posts the one form of a page that asks for it. */
export const sendScript = `'use strict';
(() => {
  const form = document.querySelector('form[data-send]');
  if (form) setTimeout(() => form.submit(), Number(form.dataset.send));
})();
`;
