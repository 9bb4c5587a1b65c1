/** Checks what is typed and says so at once. Everything works without it; the server checks again. */
export const formScript = `'use strict';
(() => {
  const form = document.querySelector('form[data-check]');
  if (!form) return;
  const digits = (text) => text.replace(/[^0-9]/g, '');
  const luhn = (text) => {
    let sum = 0;
    [...text].reverse().forEach((sign, at) => {
      const value = Number(sign) * (at % 2 ? 2 : 1);
      sum += value > 9 ? value - 9 : value;
    });
    return sum % 10 === 0;
  };
  const now = new Date(Number(form.dataset.now));
  const expires = (text) => {
    const found = /^(0?[1-9]|1[0-2]) *[/ -] *([0-9]{2}|20[0-9]{2})$/.exec(text) || /^(0[1-9]|1[0-2])([0-9]{2})$/.exec(text);
    if (!found) return undefined;
    return (found[2].length === 2 ? 2000 + Number(found[2]) : Number(found[2])) * 12 + Number(found[1]);
  };
  const checks = {
    card: (text) => /^[0-9 -]+$/.test(text) && /^[0-9]{12,19}$/.test(digits(text)) && luhn(digits(text)),
    expiry: (text) => expires(text) !== undefined,
    code: (text) => /^[0-9]{3,4}$/.test(text),
    text: () => true,
  };
  const late = now.getUTCFullYear() * 12 + now.getUTCMonth() + 1;
  const fault = (input) => {
    const text = input.value.trim();
    const { check, missing, wrong } = input.dataset;
    if (text === '') return input.required ? missing : '';
    if (!checks[check](text)) return wrong;
    return check === 'expiry' && expires(text) < late ? 'The card has expired' : '';
  };
  const show = (input, words) => {
    const place = document.getElementById(input.id + '-error');
    place.textContent = words;
    if (words) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
  };
  const inputs = [...form.querySelectorAll('input[data-check]')];
  const group = (input) => {
    if (input.dataset.check !== 'card' || input.selectionStart !== input.value.length) return;
    input.value = digits(input.value).slice(0, 19).replace(/(.{4})(?=.)/g, '$1 ');
  };
  const slash = (input, event) => {
    if (input.dataset.check !== 'expiry' || !event.data) return;
    if (/^(0[1-9]|1[0-2])$/.test(input.value)) input.value += '/';
  };
  for (const input of inputs) {
    input.addEventListener('input', (event) => {
      group(input);
      slash(input, event);
      if (input.getAttribute('aria-invalid')) show(input, fault(input));
    });
    input.addEventListener('blur', () => {
      if (input.value.trim() !== '') show(input, fault(input));
    });
  }
  const shown = (input) => input.offsetParent !== null;
  const summary = (wrong) => {
    const box = document.getElementById('summary');
    const list = box.querySelector('ul');
    list.replaceChildren(...wrong.map((input) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = '#' + input.id;
      link.textContent = fault(input);
      item.append(link);
      return item;
    }));
    box.hidden = false;
    box.focus();
  };
  form.addEventListener('submit', (event) => {
    if (event.submitter && event.submitter.value === 'cancel') return;
    const visible = inputs.filter(shown);
    for (const input of visible) show(input, fault(input));
    const wrong = visible.filter((input) => fault(input));
    if (wrong.length === 0) return;
    event.preventDefault();
    summary(wrong);
  });
})();
`;

/** Posts the one form of a page that asks for it. */
export const sendScript = `'use strict';
(() => {
  const form = document.querySelector('form[data-send]');
  if (form) setTimeout(() => form.submit(), Number(form.dataset.send));
})();
`;
