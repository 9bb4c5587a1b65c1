import { digestWritten, keyAsItIs, type RemedyContext, type RemedyRow, row } from './remedy-row.js';

/** `HMAC-SHA1` or `RSA-SHA256`, as the operation has it. */
const method = ({ scheme }: RemedyContext) => (scheme === 'RSA-SHA256' ? 'RSA-SHA256' : 'HMAC-SHA1');

const keyRule: RemedyRow['change'] = ({ keyForm }) =>
  keyForm === 'raw'
    ? 'the HMAC key is the control key as it is (A51), then an & and nothing else'
    : 'the HMAC key is the percent-encoded control key (A51), then an & and nothing else';

/** Of the key and what is made with it. */
export const keyRemedies: readonly RemedyRow[] = [
  row('digest', /^text-/, 'sign the base string and nothing after it', 'hmac', { shell: 'echo' }),
  row('digest', /^line-end$/, digestWritten, 'control', { shell: 'echo' }, 'control'),
  row('digest', /^line-end$|^lines$/, digestWritten, 'hmac', {
    python: 'base64.encodebytes',
    ruby: 'Base64.encode64',
    java: 'Base64.getMimeEncoder()',
    shell: 'openssl base64 without -A',
    csharp: 'Base64FormattingOptions.InsertLineBreaks',
  }),
  row(
    'digest',
    /^(?:sha1sum|openssl)-line$/,
    'use only the digest that the program prints',
    'control',
    {
      shell: 'sha1sum, openssl dgst',
    },
    'control',
  ),
  row('digest', /^openssl-line$/, 'use only the digest that the program prints', 'hmac', {
    shell: 'openssl dgst',
  }),
  row('digest', /^hex-marked$/, digestWritten, 'control', { csharp: 'BitConverter.ToString' }, 'control'),
  row('digest', /^hex-marked$/, digestWritten, 'hmac', { csharp: 'BitConverter.ToString' }),
  row('digest', /^hex-unpadded$/, digestWritten, 'control', { java: 'Integer.toHexString' }, 'control'),
  row('digest', /^hex-unpadded$/, digestWritten, 'hmac', { java: 'Integer.toHexString' }),
  row(
    'digest',
    /^(?:integer|decimal|prefix-0x)$/,
    digestWritten,
    'control',
    {
      java: 'new BigInteger(1, digest).toString(16)',
      python: 'hex(int)',
    },
    'control',
  ),
  row('digest', /^bytes-printed$/, digestWritten, 'control', { python: 'str(bytes)' }, 'control'),
  row(
    'digest',
    /^hmac-/,
    'use plain SHA-1 over the values and the key, not an HMAC',
    'control',
    {
      php: 'hash_hmac',
      node: 'createHmac',
      python: 'hmac.new',
    },
    'control',
  ),
  row('digest', /^(?:quoted|line-end|hex)/, digestWritten, 'control', { shell: 'echo' }, 'control'),
  row(
    'digest',
    /^(?:twice|values-hashed|(?:sha1|md5|sha256|sha512)-of)/,
    'hash the values and the key once, with SHA-1',
    'control',
    undefined,
    'control',
  ),
  row('digest', undefined, 'hash the values and the key with SHA-1', 'control', undefined, 'control'),
  row(
    'digest',
    /^hex-in-base64|^hex-upper-in-base64/,
    'encode the bytes of the signature as Base64, not their hexadecimal text',
    'hmac',
    {
      php: "base64_encode(hash_hmac('sha1', …)) without true",
      python: 'b64encode(….hexdigest())',
      ruby: 'OpenSSL::HMAC.hexdigest',
    },
  ),
  row('digest', /^hex/, digestWritten, 'hmac', {
    php: 'hash_hmac without true',
    python: 'hexdigest()',
    node: "digest('hex')",
    ruby: 'OpenSSL::HMAC.hexdigest',
    go: 'hex.EncodeToString',
    csharp: 'Convert.ToHexString',
  }),
  row('digest', /^url-safe/, digestWritten, 'hmac', {
    python: 'base64.urlsafe_b64encode',
    ruby: 'Base64.urlsafe_encode64',
    go: 'base64.URLEncoding',
    java: 'Base64.getUrlEncoder()',
    node: "'base64url'",
  }),
  row('digest', /^no-padding$/, digestWritten, 'hmac', { go: 'base64.RawStdEncoding', java: 'withoutPadding()' }),
  row('digest', /^bytes-printed$/, digestWritten, 'hmac', { python: 'str(b64encode(…)) without .decode()' }),
  row('digest', /^percent-encoded/, 'percent-encode the signature once, when you write the header', 'header'),
  row(
    'digest',
    /^(?:sha|md5|no-hmac|hashed-before)/,
    ({ scheme }) =>
      scheme === 'RSA-SHA256'
        ? 'sign the base string itself, with SHA-256'
        : 'use an HMAC with SHA-1 over the base string itself',
    'hmac',
  ),
  row('digest', undefined, digestWritten, 'hmac'),
  row('signing-key', /^(?:no-ampersand|ampersand-encoded|ampersand-twice)$/, keyRule, 'hmac'),
  row('signing-key', /^word-behind$/, keyRule, 'hmac', {
    node: 'a template with an undefined token secret',
    python: "f'{secret}&{None}'",
    java: 'secret + "&" + null',
  }),
  row(
    'signing-key',
    /^(?:not-encoded|encoded|encoded-twice|reserved-raw|lower-case-escapes|form-encoded)$/,
    keyRule,
    'hmac',
  ),
  row(
    'signing-key',
    /^(?:line-feed|crlf|carriage-return|blank|tab|byte-order-mark|quotes|trimmed)$/,
    'use the control key exactly as given: no quotes, spaces, line breaks or byte order mark added, and nothing removed',
    'key',
    {
      php: 'file_get_contents',
      python: 'open(…).read()',
      node: 'readFileSync',
      go: 'os.ReadFile',
      ruby: 'File.read',
      java: 'Files.readString',
      csharp: 'File.ReadAllText',
    },
  ),
  row(
    'signing-key',
    /^exchanged$/,
    'pass the key as the key and the base string as the message; check the order of the arguments',
    'hmac',
  ),
  row(
    'signing-key',
    /^(?:bytes-printed|json|to-|byte-by-byte|latin-1|(?:hex|base64)-decoded|(?:lower|upper)-case|no-dashes|md5|sha)/,
    `${keyAsItIs}, as text`,
    'hmac',
  ),
  row('signing-key', undefined, keyRule, 'hmac'),
  row('rsa-key-or-method', /^method/, (context) => `send and sign oauth_signature_method=${method(context)}`, 'pairs'),
  row(
    'rsa-key-or-method',
    /^plaintext$/,
    'sign the base string with the key; the key itself is never sent',
    'hmac',
    undefined,
    'HMAC-SHA1',
  ),
  row(
    'rsa-key-or-method',
    undefined,
    'this operation is signed with HMAC-SHA1 and the control key, not with RSA',
    'hmac',
    undefined,
    'HMAC-SHA1',
  ),
  row('rsa-key-or-method', /^(?:sha|md5)/, 'sign with SHA-256', 'rsa', {
    php: 'openssl_sign without OPENSSL_ALGO_SHA256',
    java: 'SHA1withRSA',
    shell: 'openssl dgst -sha1',
    csharp: 'HashAlgorithmName.SHA1',
  }),
  row(
    'rsa-key-or-method',
    /^hashed-twice$/,
    'pass the base string itself to the signing function, which hashes it',
    'rsa',
    {
      python: 'sign(sha256(base).digest(), …) without Prehashed',
      csharp: 'SignData of a hash instead of SignHash',
    },
  ),
  row('rsa-key-or-method', /^bare-/, 'use a signing function, which adds the identifier of the hash', 'rsa', {
    php: 'openssl_private_encrypt',
    shell: 'openssl pkeyutl -sign without -pkeyopt digest',
    ruby: 'private_encrypt',
    node: 'privateEncrypt',
    go: 'rsa.SignPKCS1v15 with hash 0',
    java: 'Cipher.getInstance("RSA"), NONEwithRSA',
  }),
  row('rsa-key-or-method', /^pss-/, 'use PKCS#1 v1.5 padding', 'rsa', {
    python: 'padding.PSS',
    go: 'rsa.SignPSS',
    csharp: 'RSASignaturePadding.Pss',
    java: 'RSASSA-PSS',
    ruby: 'sign_pss',
    node: 'RSA_PKCS1_PSS_PADDING',
  }),
  row('rsa-key-or-method', /^encrypted$/, 'sign with the private key', 'rsa', {
    php: 'openssl_public_encrypt',
    node: 'publicEncrypt',
  }),
  row(
    'rsa-key-or-method',
    /^other-pair$/,
    'sign with the private key whose public key the gateway has; `paycli keys check-pair` compares them',
  ),
  row('rsa-key-or-method', /^hmac/, 'sign with the RSA private key', 'rsa'),
  row('rsa-key-or-method', /utf-16$/, 'sign the UTF-8 bytes of the base string', 'rsa', {
    csharp: 'Encoding.Unicode.GetBytes',
  }),
  row(
    'rsa-key-or-method',
    undefined,
    'sign with RSASSA-PKCS1-v1_5 and SHA-256, with the private key whose public key the gateway has',
    'rsa',
  ),
];
