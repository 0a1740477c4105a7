import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { ConfigError } from './parsers.ts'
import { readConfig } from './read-config.ts'

type Variables = Record<string, string>

const folder = mkdtempSync(join(tmpdir(), 'muster-config-'))
after(() => rmSync(folder, { recursive: true }))
function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const file = write(
  'muster.toml',
  'port = 9000\ndemo = true\nhost = "::1"\ntrusted_proxies = ["10.0.0.1", "10.0.0.2"]\n',
)

function configOf(args: readonly string[], environment: Variables = {}) {
  const request = readConfig(args, environment)
  assert.equal(request.kind, 'run')
  return request.config
}

function refusal(args: readonly string[], environment: Variables = {}): string {
  try {
    readConfig(args, environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    return error.message
  }
  return assert.fail('accepted')
}

/** The refusal of a configuration file with this content. */
const refusalOf = (content: string) => refusal(['--config', write('bad.toml', content)])

describe('the configuration file', () => {
  test('gives numbers, texts, booleans and lists', () => {
    const { port, demo, host, trustedProxies } = configOf(['--config', file])
    assert.deepEqual(
      [port, demo, host, trustedProxies],
      [9000, true, '::1', ['10.0.0.1', '10.0.0.2']],
    )
    assert.equal(configOf([], { MUSTER_CONFIG: file }).port, 9000)
  })

  test('is overridden by variables, and both by flags', () => {
    const variables = { MUSTER_CONFIG: file, MUSTER_PORT: '9001' }
    assert.equal(configOf([], variables).port, 9001)
    assert.equal(configOf(['--port=9002'], variables).port, 9002)
    assert.equal(configOf(['--demo=false'], variables).demo, false)
  })

  test('is refused for unknown keys, by name and with the nearest one', () => {
    assert.match(
      refusalOf('data-dir = "x"'),
      /^unknown key data-dir in \S+bad\.toml: did you mean "data_dir"\?/,
    )
    assert.match(refusalOf('[network]\nport = 1'), /^unknown key network in /)
    assert.match(refusalOf('config = "other.toml"'), /^unknown key config in /)
    assert.match(
      refusalOf('a = 1\nb = 2'),
      /^unknown key a in \S+; 1 more: run "muster config check"$/,
    )
  })

  test('is refused for invalid values and syntax, which are not repeated', () => {
    assert.match(refusalOf('port = 70000'), /^port in \S+bad\.toml must be a whole number/)
    assert.match(refusalOf('port = 2026-01-01'), /^port in \S+ must be a text, a number/)
    assert.match(refusalOf('roles = [["identity"]]'), /^roles in \S+ must be a text/)
    const syntax = refusalOf('port = 1\nadmin_password = planted')
    assert.match(syntax, /^line 2 in \S+bad\.toml is not valid TOML$/)
  })
})

describe('a secret', () => {
  const password = write('password', 'from a file\n')
  const key = ['--secret-key-file=some.key']

  test('is read from a file that a variable, a flag or a key names', () => {
    assert.equal(
      configOf([], { MUSTER_ADMIN_PASSWORD_FILE: password }).adminPassword,
      'from a file',
    )
    assert.equal(configOf([`--admin-password-file=${password}`]).adminPassword, 'from a file')
    const toml = write('secret.toml', `admin_password_file = "${password}"\n`)
    assert.equal(configOf([`--config=${toml}`]).adminPassword, 'from a file')
    const url = write('url', 'postgres://muster:planted@db/muster\n')
    const { databaseUrl } = configOf(key, { MUSTER_DATABASE_URL_FILE: url })
    assert.equal(databaseUrl, 'postgres://muster:planted@db/muster')
  })

  test('is refused if it is given twice, or if its file is missing', () => {
    const twice = { MUSTER_ADMIN_PASSWORD: 'a', MUSTER_ADMIN_PASSWORD_FILE: password }
    assert.match(
      refusal([], twice),
      /^MUSTER_ADMIN_PASSWORD and MUSTER_ADMIN_PASSWORD_FILE must not/,
    )
    const missing = { MUSTER_ADMIN_PASSWORD_FILE: join(folder, 'missing') }
    assert.match(refusal([], missing), /^MUSTER_ADMIN_PASSWORD_FILE must be the path of a readable/)
  })
})

describe('variables that Kubernetes sets for a Service named muster', () => {
  test('are refused with the reason', () => {
    const links = {
      MUSTER_SERVICE_HOST: '10.0.0.1',
      MUSTER_SERVICE_PORT: '8400',
      MUSTER_SERVICE_PORT_HTTP: '8400',
      MUSTER_PORT: 'tcp://10.0.0.1:8400',
      MUSTER_PORT_8400_TCP: 'tcp://10.0.0.1:8400',
      MUSTER_PORT_8400_TCP_ADDR: '10.0.0.1',
    }
    const reason = /^MUSTER_PORT is set by Kubernetes.*enableServiceLinks: false.*another name$/
    assert.match(refusal([], links), reason)
    assert.match(refusal([], { MUSTER_PORT: links.MUSTER_PORT }), reason)
    assert.match(refusal([], { MUSTER_SERVICE_HOST: '10.0.0.1' }), /^MUSTER_SERVICE_HOST is set by/)
  })
})
