import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { settings } from '../config/settings.ts'
import { collectOutput } from '../testing/collect-output.ts'
import { runConfig } from './config-check.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-config-'))
after(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'muster.toml')
writeFileSync(file, 'port = 9000\nhost = "::1"\n')

describe('muster config check', () => {
  function check(args: readonly string[], environment: Record<string, string> = {}) {
    const output = collectOutput()
    const status = runConfig(['check', ...args], environment, output.io)
    const rows = output
      .stdout()
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/))
    return { status, rows, stderr: output.stderr() }
  }

  test('prints every setting with its value and origin, and no secret', () => {
    const { status, rows, stderr } = check(['--config', file, '--region=north'], {
      MUSTER_HOST: '127.0.0.2',
      MUSTER_ADMIN_PASSWORD: 'planted',
      MUSTER_DATA_DIR: '/d',
    })
    assert.deepEqual([status, stderr], [0, ''])
    const expected = [
      ['config', file, '--config'],
      ['port', '9000', `port in ${file}`],
      ['host', '127.0.0.2', 'MUSTER_HOST'],
      ['region', 'north', '--region'],
      ['admin_password', '(set)', 'MUSTER_ADMIN_PASSWORD'],
      ['database_url', '(none)', 'default'],
      ['token_ttl', '24h', 'default'],
      ['secret_key_file', '/d/secret.key', 'default'],
    ]
    for (const row of expected) {
      assert.deepEqual(
        rows.find(([name]) => name === row[0]),
        row,
      )
    }
    assert.equal(rows.length, Object.keys(settings).length)
  })

  test('names all problems, and does not print invalid values', () => {
    const { status, rows, stderr } = check(['--demo-servers=0'], {
      MUSTER_PROT: '1',
      MUSTER_TLS_KEY: 'planted',
    })
    assert.equal(status, 2)
    assert.equal(stderr.trim().split('\n').length, 3, stderr)
    assert.match(stderr, /^muster: unknown variable MUSTER_PROT: did you mean "MUSTER_PORT"\?/)
    assert.match(stderr, /^muster: --demo-servers must be/m)
    assert.match(stderr, /^muster: MUSTER_TLS_KEY must be/m)
    assert.ok(rows.some(([name, value]) => name === 'tls_key' && value === '(invalid)'))
  })

  test('names settings that do not fit together', () => {
    const { status, stderr } = check(['--roles=gateway', '--demo-servers=5'])
    assert.equal(status, 2)
    assert.match(stderr, /--demo-servers needs --demo/)
    assert.match(stderr, /needs --auth-url and --base-url/)
  })
})
