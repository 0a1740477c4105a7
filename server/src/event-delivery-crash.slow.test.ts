import { eventually } from './testing/eventually.ts'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { ask, passwordIdentity, requestToken, systemProject } from './testing/client.ts'
import { spawnMuster, temporaryFolder } from './testing/spawn-muster.ts'

const password = 'tussocky moorland'

test('no event is lost if Muster is killed during deliveries', async (t) => {
  const received: string[] = []
  let isAnswering = true
  const receiver = createServer((request, response) => {
    received.push(String(request.headers['webhook-id']))
    if (isAnswering) response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  t.after(() => {
    receiver.closeAllConnections()
    receiver.close()
  })
  await once(receiver, 'listening')
  const folder = temporaryFolder(t)
  const secretFile = join(folder, 'webhook.secret')
  writeFileSync(secretFile, `whsec_${Buffer.alloc(32, 5).toString('base64')}\n`)
  const { port } = receiver.address() as AddressInfo
  const start = () =>
    spawnMuster(t, {
      flags: [
        `--data-dir=${join(folder, 'data')}`,
        `--events-webhook=http://127.0.0.1:${port}/`,
        `--events-webhook-secret-file=${secretFile}`,
        '--source-allow=127.0.0.1',
      ],
      environment: { MUSTER_ADMIN_PASSWORD: password },
    })
  const logIn = (url: string) =>
    requestToken(url, { identity: passwordIdentity('sysadmin', password), scope: systemProject })

  const killed = await start()
  const logins = Promise.all(Array.from({ length: 10 }, () => logIn(killed.baseUrl)))
  await eventually('two events are received', () => received.length >= 2)
  // The receiver has the event, and Muster is killed before it knows.
  isAnswering = false
  await logins
  await killed.end('SIGKILL')
  isAnswering = true

  const muster = await start()
  const token = (await logIn(muster.baseUrl)).headers.get('x-subject-token') ?? ''
  const ids = async () => {
    const { text } = await ask(muster.baseUrl, '/events?format=csv&order=asc&field=id', { token })
    return text.split('\r\n').slice(1, -1)
  }
  const written = await ids()
  assert.ok(written.length >= 11, String(written.length))
  await eventually('the last event is received', () => received.includes(written.at(-1) ?? ''))
  const firsts = [...new Set(received)]
  // The first event may be older than the sink.
  assert.deepEqual(firsts, written.slice(written.indexOf(firsts[0] ?? '')))
  assert.ok(written.indexOf(firsts[0] ?? '') <= 1)
  const { body } = await ask<{ total: number }>(
    muster.baseUrl,
    '/event_deliveries?sink=webhook&result=delivered',
    { token },
  )
  assert.ok(body.total >= written.length - 1)
  await muster.end('SIGTERM')
})
