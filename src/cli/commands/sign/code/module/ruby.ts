import { paragraphs } from '../plan.js';
import { baseString, encode, quoted, written } from '../ruby.js';
import { type ModulePlan, moduleIntroduction, vectors } from './plan.js';

/** The signer as a Ruby module. */
export function rubyModule({ baseUrl, operations, encoding, keyForm, repeatsInBody }: ModulePlan): string {
  const pair = (texts: readonly string[]) => `[${texts.map(quoted).join(', ')}]`;
  const members = [
    `BASE_URL = ${quoted(baseUrl)}`,
    [
      '# Operation => scheme, path, what the checksum covers, whether the body contains the login.',
      'OPERATIONS = {',
      ...operations.map(({ id, scheme, path, values, sendsLogin }) => {
        return `  ${quoted(id)} => [${quoted(scheme)}, ${quoted(path)}, ${pair(values)}, ${sendsLogin}],`;
      }),
      '}.freeze',
    ].join('\n'),
    'module_function',
    `# A request before it is signed. Fields are an array of [name, value].
def prepare_request(operation, endpoint_id, login, fields, nonce: nil, timestamp: nil)
  scheme, path, values, sends_login = OPERATIONS.fetch(operation)
  url = BASE_URL + path + endpoint_id
  fields += [['login', login]] if sends_login && fields.none? { |name, _| name == 'login' }
  oauth = []
  text = scheme == 'control' ? control_text(values, endpoint_id, login, fields) : ''
  if scheme.end_with?('SHA1', 'SHA256')
    oauth = [
      ['oauth_consumer_key', login],
      ['oauth_nonce', nonce || SecureRandom.hex],
      ['oauth_signature_method', scheme],
      ['oauth_timestamp', timestamp || Time.now.to_i.to_s],
      ['oauth_version', '1.0'],
    ]
    text = base_string(url, fields + oauth)
  end
  { scheme: scheme, url: url, fields: fields, oauth: oauth, base_string: text }
end`,
    `# Address, headers and body to send. The key is the control key, or for RSA-SHA256 an OpenSSL::PKey::RSA.
def sign_request(prepared, key)
  scheme, url, fields, oauth, text = prepared.values_at(:scheme, :url, :fields, :oauth, :base_string)
  headers = {
    'Content-Type' => 'application/x-www-form-urlencoded',
    'Accept' => 'application/vnd.pay+json',
    'Accept-Encoding' => 'identity',
  }
  case scheme
  when 'control'
    fields += [['control', checksum(text, key)]]
  when 'HMAC-SHA1', 'RSA-SHA256'
    signature = scheme == 'HMAC-SHA1' ? hmac_sha1(text, key) : rsa_sha256(text, key)
    header = (oauth + [['oauth_signature', signature]]).map { |name, value| %(#{name}="#{encode(value)}") }
    headers['Authorization'] = "OAuth #{header.join(', ')}"${
      repeatsInBody
        ? `
    fields += oauth if scheme == 'HMAC-SHA1'`
        : ''
    }
  end
  { url: url, headers: headers, body: encode_form(fields) }
end`,
    encode,
    `def minor_units(amount)
  amount.delete('.').sub(/\\A0+/, '')
end

def control_text(values, endpoint_id, login, fields)
  known = fields.to_h.merge('endpoint_id' => endpoint_id, 'login' => login)
  values.map { |name| name == 'amount' ? minor_units(known.fetch(name, '')) : known.fetch(name, '') }.join
end

def checksum(text, key)
  ${written[encoding]('text + key')}
end`,
    baseString,
    `def hmac_sha1(text, key)
  [OpenSSL::HMAC.digest('SHA1', "#{${keyForm === 'raw' ? 'key' : 'encode(key)'}}&", text)].pack('m0')
end

def rsa_sha256(text, key)
  [key.sign('SHA256', text)].pack('m0')
end`,
    `def private_key
  OpenSSL::PKey::RSA.new(File.read(ENV.fetch('PRIVATE_KEY_FILE', '')), '')
rescue SystemCallError, OpenSSL::PKey::RSAError
  abort 'PRIVATE_KEY_FILE must name the PEM file with the RSA private key'
end

def control_key
  file = ENV.fetch('CONTROL_KEY_FILE', '')
  key = file.empty? ? ENV.fetch('CONTROL_KEY', '').dup : File.binread(file).sub(/[\\r\\n]+\\z/, '')
  abort 'CONTROL_KEY_FILE must name the file with the merchant control key' if key.empty?
  key.force_encoding(Encoding::UTF_8)
end`,
    `# The expected values come from openssl.
def self_test
  key = ${quoted(vectors.key)}
  amounts = [${vectors.amounts.map(pair).join(', ')}]
  pairs = [
${vectors.pairs.map((each) => `    ${pair(each)},`).join('\n')}
  ]
  text = [
${vectors.baseString.map((part) => `    ${quoted(part)},`).join('\n')}
  ].join
  amounts.all? { |amount, minor| minor_units(amount) == minor } &&
    checksum(${quoted(vectors.controlText)}, key) == ${quoted(vectors.control[encoding])} &&
    base_string(${quoted(vectors.url)}, pairs) == text &&
    hmac_sha1(text, key) == ${quoted(vectors.hmac[keyForm])}
end`,
    `def main(arguments)
  if arguments == ['--self-test']
    passed = self_test
    puts passed ? 'passed' : 'FAILED'
    return passed
  end
  command, operation, endpoint_id, login, nonce, timestamp = arguments
  unless %w[--base-string --request].include?(command) && OPERATIONS.key?(operation) && login
    abort 'usage: --self-test | --base-string or --request, OPERATION, ENDPOINT_ID, LOGIN [NONCE TIMESTAMP]'
  end
  lines = $stdin.read.force_encoding(Encoding::UTF_8).split("\\n").reject(&:empty?)
  fields = lines.map { |line| line.partition('=').values_at(0, 2) }
  prepared = prepare_request(operation, endpoint_id, login, fields, nonce: nonce, timestamp: timestamp)
  if command == '--base-string'
    print prepared[:base_string]
    return true
  end
  key = { 'none' => -> {}, 'RSA-SHA256' => method(:private_key) }.fetch(prepared[:scheme], method(:control_key)).call
  signed = sign_request(prepared, key)
  print "POST #{signed[:url]} HTTP/1.1\\n"
  signed[:headers].each { |name, value| print "#{name}: #{value}\\n" }
  print "\\n", signed[:body]
  true
end`,
  ];
  return paragraphs([
    ['# frozen_string_literal: true', '', ...moduleIntroduction('#', 'Ruby 2.7 or later', 'ruby gateway_signer.rb')],
    ['digest', 'erb', 'openssl', 'securerandom'].map((name) => `require '${name}'`),
    [
      '# Signs requests for the gateway.',
      'module GatewaySigner',
      members
        .join('\n\n')
        .split('\n')
        .map((line) => (line === '' ? '' : `  ${line}`))
        .join('\n'),
      'end',
    ],
    'exit GatewaySigner.main(ARGV) if $PROGRAM_NAME == __FILE__',
  ]);
}
