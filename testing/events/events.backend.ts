import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createSourceAddressRule } from '../../server/src/egress/allowed-addresses.ts'
import { createEgress } from '../../server/src/egress/egress.ts'
import { createSyslogSink } from '../../server/src/egress/syslog-sink.ts'
import { createWebhookSink } from '../../server/src/egress/webhook-sink.ts'
import { makeEvent } from '../../server/src/testing/identity-world/identity-records.ts'
import {
  issuedCertificate,
  privateKey,
  testAuthority,
} from '../../server/src/testing/secure-server.ts'
import { suiteLifetime, temporaryFolder } from '../../server/src/testing/spawn-muster.ts'
import { installPackages } from '../debian.ts'
import { freePort } from '../free-port.ts'
import { installPython } from '../python-environment.ts'

const egress = createEgress(createSourceAddressRule(['127.0.0.1', 'localhost']))
const never = new AbortController().signal
const hostile = makeEvent({
  user: 'a"] <0>1 evil\r\n2 名',
  target_name: '\u2028{{ x }}',
  changes: { name: ['before', 'after\n'] },
})

test('other implementations accept the signature and the CloudEvent', async (t) => {
  const python = installPython('events', join(import.meta.dirname, 'requirements.txt'))
  const requests: { headers: IncomingHttpHeaders; body: string }[] = []
  const receiver = createServer(async (request, response) => {
    requests.push({ headers: request.headers, body: await text(request) })
    response.end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const keys = [Buffer.alloc(32, 1), Buffer.alloc(24, 2)]
  const sink = createWebhookSink(egress, {
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    keys,
    ca: undefined,
    source: 'https://muster.example.org',
    clock: Date.now,
  })
  t.after(() => {
    sink.close()
    receiver.close()
  })
  await sink.send(hostile, never)
  const [request = assert.fail()] = requests
  const secretOf = (key: Buffer) => `whsec_${key.toString('base64')}`
  const input = [
    ...keys.map((key) => ({ ...request, secret: secretOf(key) })),
    { ...request, secret: secretOf(Buffer.alloc(32, 3)) },
    { ...request, body: request.body.replace('login', 'logout'), secret: secretOf(keys[0]!) },
  ]
  const output = execFileSync(python, [join(import.meta.dirname, 'verify.py')], {
    input: input.map((each) => `${JSON.stringify(each)}\n`).join(''),
    encoding: 'utf8',
  })
  const accepted = {
    id: hostile.id,
    type: 'muster.user.login',
    data: { ...hostile, time: '2026-01-01T00:00:00.000000Z' },
  }
  const refused = { error: 'No matching signature found' }
  assert.deepEqual(
    output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
    [accepted, accepted, refused, refused],
  )
})

describe('rsyslog', () => {
  const lifetime = suiteLifetime()

  test('receives events over TCP and TLS', async () => {
    installPackages('rsyslog', 'rsyslog-openssl')
    const folder = temporaryFolder(lifetime)
    const file = (name: string, content = '') => {
      const path = join(folder, name)
      if (content !== '') writeFileSync(path, content, { mode: 0o600 })
      return path
    }
    const ports = { tcp: await freePort(), tls: await freePort() }
    const log = file('events.log')
    const config = file(
      'rsyslog.conf',
      `global(workDirectory="${folder}" defaultNetstreamDriver="ossl"
  defaultNetstreamDriverCAFile="${file('ca.pem', testAuthority)}"
  defaultNetstreamDriverCertFile="${file('cert.pem', issuedCertificate)}"
  defaultNetstreamDriverKeyFile="${file('key.pem', privateKey)}")
module(load="imtcp")
input(type="imtcp" address="127.0.0.1" port="${ports.tcp}" streamDriver.name="ptcp")
input(type="imtcp" address="127.0.0.1" port="${ports.tls}" streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="anon")
template(name="parsed" type="list") {
  property(name="pri") constant(value=" ") property(name="app-name") constant(value=" ")
  property(name="msgid") constant(value=" ") property(name="hostname") constant(value=" ")
  property(name="structured-data") constant(value=" ") property(name="msg") constant(value="\\n")
}
*.* action(type="omfile" file="${log}" template="parsed")
`,
    )
    const daemon = spawn('/usr/sbin/rsyslogd', ['-n', '-f', config, '-i', file('pid')], {
      stdio: 'ignore',
    })
    lifetime.after(async () => {
      daemon.kill()
      await once(daemon, 'exit')
    })
    for (const [name, port] of Object.entries(ports)) {
      const isSecure = name === 'tls'
      const options = { host: 'localhost', port, isSecure, ca: testAuthority, hostname: name }
      const sink = createSyslogSink(egress, options)
      lifetime.after(() => sink.close())
      // Until it listens.
      for (;;) {
        const isSent = await sink.send(hostile, never).then(
          () => true,
          () => false,
        )
        if (isSent) break
        await pause(50)
      }
      await sink.send({ ...hostile, result: 'denied' }, never)
    }
    const lines = () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .filter((line) => line.includes(' muster login '))
        : []
    await eventually('four lines are received', () => lines().length >= 4)
    const found = lines().map((line) => {
      const [, priority, host, data, json = ''] =
        /^(\d+) muster login (\w+) (\[muster@32473 .*\]) (\{.*\})$/.exec(line) ?? assert.fail(line)
      assert.ok(data?.includes(String.raw`user="a\"\] <0>1 evil  2 名"`), line)
      const event = JSON.parse(json) as typeof hostile
      assert.equal(event.user, hostile.user)
      assert.equal(event.id, hostile.id)
      return [priority, host, event.result]
    })
    assert.deepEqual(found, [
      ['110', 'tcp', 'success'],
      ['108', 'tcp', 'denied'],
      ['110', 'tls', 'success'],
      ['108', 'tls', 'denied'],
    ])
  })
})
