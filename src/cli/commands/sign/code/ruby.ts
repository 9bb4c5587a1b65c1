import type { ControlEncoding } from '../../../../signing/index.js';
import { plainHeaders } from '../../../../signing/schemes/request.js';
import { type CodePlan, type OauthPlan, type PlannedSigning, paragraphs } from './plan.js';
import { programParts, type Syntax } from './program-parts.js';

/** A Ruby program with the standard library alone. */
export function rubyProgram(plan: CodePlan, run: string): string {
  const { address, signing } = plan;
  const parts = programParts(plan, syntax, { needs: 'Ruby 2.7 or later', run, cards: 'read from the variables' });
  return paragraphs([
    ['# frozen_string_literal: true', '', ...parts.introduction],
    imports(signing).map((name) => `require '${name}'`),
    parts.asks ? fromEnvironment : '',
    encode,
    parts.isOauth ? baseString : '',
    parts.key,
    [...parts.assignments, `url = ${quoted(address)} + endpoint_id`],
    ['fields = [', ...parts.pairs.map((pair) => `  ${pair},`), ']'],
    [
      'headers = {',
      ...Object.entries(plainHeaders).map(([name, value]) => `  ${quoted(name)} => ${quoted(value)},`),
      '}',
    ],
    parts.signing,
    post,
  ]);
}

/** In single quotes where nothing needs an escape. */
export function quoted(text: string): string {
  if (/^[^'\\\p{Cc}]*$/u.test(text)) return `'${text}'`;
  return JSON.stringify(text).replace(/#(?=[{$@])/g, '\\#');
}

function imports(signing: PlannedSigning): readonly string[] {
  const own = {
    control: ['digest'],
    'hmac-sha1': ['openssl', 'securerandom'],
    'rsa-sha256': ['openssl', 'securerandom'],
    none: [],
  }[signing.scheme];
  return ['erb', 'net/http', ...own].sort();
}

const fromEnvironment = `def from_environment(name)
  value = ENV.fetch(name, '').dup.force_encoding(Encoding::UTF_8)
  return value unless value.empty?

  warn "#{name} must be set"
  exit 2
end`;

export const encode = `# Percent-encodes every byte except letters, digits and - . _ ~ (RFC 3986).
def encode(text)
  ERB::Util.url_encode(text)
end

def encode_form(pairs)
  pairs.map { |pair| pair.map { |text| encode(text) }.join('=') }.join('&')
end`;

export const baseString = `# RFC 5849 3.4.1: all names and values encoded, then sorted by name and value.
def base_string(url, pairs)
  encoded = pairs.map { |name, value| [encode(name), encode(value)] }
  parameters = encoded.sort.map { |pair| pair.join('=') }.join('&')
  ['POST', url, parameters].map { |part| encode(part) }.join('&')
end`;

export const controlKey = `key_file = ENV.fetch('CONTROL_KEY_FILE', '')
key = key_file.empty? ? ENV.fetch('CONTROL_KEY', '').dup : File.binread(key_file).sub(/[\\r\\n]+\\z/, '')
key.force_encoding(Encoding::UTF_8)
if key.empty?
  warn 'CONTROL_KEY_FILE must name the file with the merchant control key'
  exit 2
end`;

const privateKey = `begin
  key = OpenSSL::PKey::RSA.new(File.read(ENV.fetch('PRIVATE_KEY_FILE', '')), '')
rescue SystemCallError, OpenSSL::PKey::RSAError
  warn 'PRIVATE_KEY_FILE must name the PEM file with the RSA private key'
  exit 2
end`;

export const written = {
  'hex-lower': (text: string) => `Digest::SHA1.hexdigest(${text})`,
  'hex-upper': (text: string) => `Digest::SHA1.hexdigest(${text}).upcase`,
  base64: (text: string) => `Digest::SHA1.base64digest(${text})`,
} as const;

function control(variables: readonly string[], encoding: ControlEncoding): readonly string[] {
  return [`fields << ['control', ${written[encoding]([...variables, 'key'].join(' + '))}]`];
}

/** RFC 5849 3.4 and 3.5.1. */
function oauth(signing: OauthPlan): readonly string[] {
  return [
    `oauth = [
  ['oauth_consumer_key', login],
  ['oauth_nonce', SecureRandom.hex],
  ['oauth_signature_method', '${signing.method}'],
  ['oauth_timestamp', Time.now.to_i.to_s],
  ['oauth_version', '1.0'],
]
text = base_string(url, fields + oauth)`,
    signature(signing),
    `header = (oauth + [['oauth_signature', [signature].pack('m0')]]).map { |name, value| %(#{name}="#{encode(value)}") }
headers['Authorization'] = "OAuth #{header.join(', ')}"`,
  ];
}

function signature(signing: OauthPlan): string {
  if (signing.scheme === 'rsa-sha256') return "signature = key.sign('SHA256', text)";
  return `signature = OpenSSL::HMAC.digest('SHA1', "#{${signing.keyForm === 'raw' ? 'key' : 'encode(key)'}}&", text)`;
}

const post = `uri = URI(url)
options = { use_ssl: uri.scheme == 'https', open_timeout: 60, read_timeout: 60, max_retries: 0 }
reply = Net::HTTP.start(uri.host, uri.port, **options) { |http| http.post(uri.path, encode_form(fields), headers) }
puts reply.body
warn "HTTP #{reply.code}"
exit reply.code == '200'`;

const syntax: Syntax = {
  mark: '#',
  name: (name) => name,
  quoted,
  asked: (variable) => `from_environment('${variable}')`,
  assignment: (name, value) => `${name} = ${value}`,
  pair: (name, value) => `[${name}, ${value}]`,
  readControlKey: controlKey,
  readPrivateKey: privateKey,
  control,
  oauth,
  oauthIntoBody: 'fields += oauth',
};
