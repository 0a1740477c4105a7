import { eventually } from '../testing/eventually.ts'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { connect } from 'node:tls'
import { spawnMuster, temporaryFolder } from '../testing/spawn-muster.ts'

const fixture = (name: string) => join(import.meta.dirname, '../testing/fixtures', name)

async function fingerprintAt(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

describe('SIGHUP', () => {
  test('reloads the settings, opens the access log again, and names what needs a restart', async (t) => {
    const folder = temporaryFolder(t)
    const [config, accessLog] = [join(folder, 'muster.toml'), join(folder, 'access.log')]
    const write = (...lines: string[]) =>
      writeFileSync(config, [`access_log_file = "${accessLog}"`, ...lines].join('\n'))
    write()
    const muster = await spawnMuster(t, {
      flags: [`--data-dir=${folder}/data`, `--config=${config}`],
    })
    const linesIn = (file: string) =>
      existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
    const request = async (path: string) => void (await fetch(muster.baseUrl + path))
    const reload = async (message: string) => {
      process.kill(muster.pid, 'SIGHUP')
      await eventually(message, () => muster.stderr().includes(message))
    }
    await request('/healthz')
    await eventually('one line is logged', () => linesIn(accessLog).length === 1)
    assert.match(linesIn(accessLog)[0] ?? '', /"path":"\/healthz".*"status":200/)
    const modeOfLog = () => (statSync(accessLog).mode & 0o777).toString(8)
    assert.equal(modeOfLog(), '640')
    assert.doesNotMatch(muster.stderr(), /"msg":"request"/)

    // As logrotate does.
    renameSync(accessLog, `${accessLog}.1`)
    write('access_log = "3"', 'token_ttl = "2h"')
    await reload('some need a restart')
    assert.match(muster.stderr(), /"settings":\["token_ttl"\]/)
    for (let index = 0; index < 6; index += 1) await request('/healthz')
    await request('/nowhere')
    await eventually('three lines are logged', () => linesIn(accessLog).length >= 3)
    assert.equal(linesIn(accessLog).length, 3, 'one of three, and all that fail')
    assert.equal(linesIn(`${accessLog}.1`).length, 1)
    assert.equal(modeOfLog(), '640')

    write('access_log = "never"')
    await reload('settings not reloaded')
    assert.match(muster.stderr(), /access_log.* must be all, off, or a number/)

    write('access_log = "off"', 'log_level = "debug"')
    await reload('settings reloaded"')
    await request('/nowhere')
    await request('/healthz')
    const { code } = await muster.end('SIGTERM')
    assert.equal(code, 0)
    assert.equal(linesIn(accessLog).length, 3)
  })

  test('uses a new certificate for new connections', async (t) => {
    const folder = temporaryFolder(t)
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    copyFileSync(fixture('test-only.cert.pem'), cert)
    copyFileSync(fixture('test-only.key.pem'), key)
    const muster = await spawnMuster(t, {
      flags: [`--data-dir=${folder}/data`, `--tls-cert=${cert}`, `--tls-key=${key}`],
    })
    const first = await fingerprintAt(muster.baseUrl)
    copyFileSync(fixture('test-only-elsewhere.cert.pem'), cert)
    process.kill(muster.pid, 'SIGHUP')
    await eventually(
      'another certificate',
      async () => (await fingerprintAt(muster.baseUrl)) !== first,
    )
  })
})
