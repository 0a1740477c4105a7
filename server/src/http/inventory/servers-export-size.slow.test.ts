import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ask } from '../../testing/client.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import { openSocket } from '../../testing/raw-socket.ts'
import { readCsv } from '../../testing/read-csv.ts'
import {
  askServers,
  listServers,
  projectAt,
} from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'

const count = 2300

onPostgresFirst('a large export of servers', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    const { id } = projectAt(fleet, 0)
    const description = 'long '.repeat(300)
    const present = Array.from({ length: count }, (_, at) =>
      minimalServer(id, { name: `n${at % 7}`, description, vcpu_count: at }),
    )
    await fleet.record(present)
  })
  after(() => fleet.platform.close())

  const owner = () => fleet.callers.owner
  const vcpus = async (query: string) => {
    const { text } = await askServers(fleet.url, owner(), query)
    return readCsv(text).slice(1).flat().map(Number)
  }

  test('is complete and sorted beyond the maximum page size', async () => {
    const ascending = Array.from({ length: count }, (_, at) => at)
    assert.deepEqual(
      await vcpus('format=csv&field=vcpu_count&order_by=vcpu_count&order=asc'),
      ascending,
    )
    const byName = await vcpus('format=csv&field=vcpu_count&order_by=name&order_by=vcpu_count')
    const wanted = ascending.toSorted((a, b) => (b % 7) - (a % 7) || b - a)
    assert.deepEqual(byName, wanted)
    const { text } = await askServers(fleet.url, owner(), 'format=ndjson&field=vcpu_count')
    const told = text.trim().split('\n')
    assert.equal(told.length, count)
    assert.equal(new Set(told).size, count)
    assert.equal((await listServers(owner(), 'limit=9999')).servers.length, 2048)
  })

  const request = (token: string, query: string) =>
    `GET /servers?${query} HTTP/1.1\r\nHost: localhost\r\nX-Auth-Token: ${token}\r\nConnection: close\r\n\r\n`

  test('is produced as fast as it is read, and does not block other requests', async () => {
    const socket = openSocket(fleet.url)
    await once(socket, 'connect')
    socket.write(request(owner().token, 'format=csv&details=true'))
    await once(socket, 'readable')
    // The client stops reading: the stream fills some buffers and then waits.
    for (let round = 0; round < 5; round += 1) {
      const { status } = await ask(fleet.url, '/servers?limit=5', { token: owner().token })
      assert.equal(status, 200)
    }
    const late = minimalServer(projectAt(fleet, 0).id, {
      created_at: '2000-01-01T00:00:00.000000Z',
      name: 'written while the table was read',
    })
    await fleet.record([late])
    let text = ''
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    await once(socket, 'close')
    const lines = text.split('\r\n').filter((line) => line.includes('long long'))
    assert.equal(lines.length, count)
    // The last row was written after the stream began, so the stream was not produced in advance.
    assert.ok(text.includes(late.name), 'the whole table was made before anybody read it')
    await fleet.record([], [late.id])
  })

  test('an aborted export has no side effects', async () => {
    const sockets = await Promise.all(
      Array.from({ length: 8 }, async (_, at) => {
        const socket = openSocket(fleet.url)
        await once(socket, 'connect')
        const format = at % 2 === 0 ? 'csv' : 'ndjson'
        socket.write(request(owner().token, `format=${format}&details=true`))
        await once(socket, 'readable')
        return socket
      }),
    )
    for (const socket of sockets) socket.destroy()
    await pause(20)
    const { status, body } = await askServers(fleet.url, owner(), 'limit=3&order_by=name')
    assert.deepEqual([status, body.total], [200, count])
    const told = await vcpus('format=csv&field=vcpu_count&vcpu_count=7')
    assert.deepEqual(told, [7])
  })
})
