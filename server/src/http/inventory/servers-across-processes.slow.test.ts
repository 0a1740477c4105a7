import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Server } from '@muster/contract'
import { nextQuery } from '../../testing/inventory-world/check-against-model.ts'
import { ask } from '../../testing/client.ts'
import { createContractClient } from '../../testing/contract-client.ts'
import { pollForValue } from '../../testing/identity-world/open-identity-api.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const writes = 8

/** SQLite supports one process only, which the model tests cover. */
void describe('two processes on one PostgreSQL', () => {
  let fleet: InventoryWorld
  let beside: TestPlatform
  before(async () => {
    fleet = await startInventoryWorld('postgres', { seed: 6, servers: 60 })
    beside = await startPlatform({ engine: 'postgres', beside: fleet.platform })
  })
  after(async () => {
    await beside.close()
    await fleet.platform.close()
  })

  const firstOwn = () => {
    const { id } = fleet.projects[0] ?? assert.fail()
    const own = ({ project_id, deleted, pending_deleted }: Server) =>
      project_id === id && !deleted && !pending_deleted
    return fleet.world.servers().find(own) ?? assert.fail()
  }

  /** Every query that can show a value in the other process. */
  function sightsOf(token: string, id: string, value: string): (() => Promise<boolean>)[] {
    const { call } = createContractClient(beside.url, token)
    const read = async (path: string) => {
      const { status, text } = await ask(beside.url, path, { token })
      assert.equal(status, 200, `${path}: ${text}`)
      return text
    }
    const total = async (query: string) => {
      const { status, text, body } = await call<{ total: number }>('listServers', { query })
      assert.equal(status, 200, `${query}: ${text}`)
      return body.total
    }
    return [
      async () => (await read('/servers?limit=100&with_meta=true')).includes(value),
      async () => (await read(`/servers/${id}`)).includes(value),
      async () => (await read(`/servers/${id}/metadata`)).includes(value),
      async () => (await total(`tags=turn=${value}`)) === 1,
      async () => (await total(`search=${value}`)) === 1,
      async () => (await total(`scope=max&filter=id.equals(${id})&tags=turn=${value}`)) === 1,
      async () => (await read('/servers/statistics?group_by=metadata.turn')).includes(value),
      async () => (await read('/servers?format=ndjson&with_meta=true')).includes(value),
    ]
  }

  test('REL: a tag written in one process is visible in the other in every query', async () => {
    const { owner, domainAdmin, admin } = fleet.callers
    const { id } = firstOwn()
    for (let turn = 0; turn < writes; turn += 1) {
      const value = `fresh${turn}of${writes}`
      const visibilities = [owner, domainAdmin, admin].flatMap(({ token }) =>
        sightsOf(token, id, value).slice(0, token === admin.token ? 0 : undefined),
      )
      // Queried before the write, so that the cache holds the old value.
      for (let time = 0; time < 3; time += 1) {
        for (const sees of visibilities) assert.equal(await sees(), false)
      }
      const metadata = { turn: value }
      await owner.get('mergeServerMetadata', { path: { id }, body: { metadata } })
      const look = async () => await Promise.all(visibilities.map((sees) => sees()))
      const seen = await pollForValue(look, (all) => all.every(Boolean))
      assert.ok(seen.every(Boolean), `${value}: ${seen.join()}`)
    }
  })

  test('REL: a scan in one process is visible in the other, including removals', async () => {
    const { token } = fleet.callers.owner
    const { call } = createContractClient(beside.url, token)
    const ids = async () => {
      const query = 'limit=2048&order_by=name'
      const { body } = await call<{ servers: Server[]; total: number }>('listServers', { query })
      assert.equal(body.total, body.servers.length)
      return body.servers.map(({ id }) => id)
    }
    const project_id = fleet.projects[0]?.id ?? ''
    for (let turn = 0; turn < writes; turn += 1) {
      await ids()
      const fresh = { ...fleet.samples.facts(), project_id, pending_deleted: false }
      await fleet.record([fresh])
      assert.ok((await pollForValue(ids, (all) => all.includes(fresh.id))).includes(fresh.id))
      await fleet.record([], [fresh.id])
      assert.ok(!(await pollForValue(ids, (all) => !all.includes(fresh.id))).includes(fresh.id))
      assert.equal((await ask(beside.url, `/servers?id=${fresh.id}`, { token })).status, 200)
    }
  })

  test('REL: right after a write the other process returns old or new data, never an error', async () => {
    const { owner } = fleet.callers
    const { id } = firstOwn()
    for (let turn = 0; turn < writes; turn += 1) {
      const order = turn % 2 === 0 ? 'order_by=name' : 'order_by=vcpu_count'
      // The names are cached, but not all fields of the servers.
      await ask(beside.url, `/servers?limit=100&${order}`, { token: owner.token })
      const metadata = { turn: `again${turn}` }
      await owner.get('mergeServerMetadata', { path: { id }, body: { metadata } })
      for (const shape of ['details=true', 'with_meta=true', 'field=id', 'format=ndjson']) {
        const path = `/servers?limit=100&${order}&${shape}`
        const { status, text } = await ask(beside.url, path, { token: owner.token })
        assert.equal(status, 200, `${path}: ${text}`)
      }
    }
  })

  test('SEC-60: a server that moves to another project is on no page of the other process', async () => {
    const { owner } = fleet.callers
    const [own, foreign] = [fleet.projects[0]?.id ?? '', fleet.projects.at(-1)?.id ?? '']
    for (let turn = 0; turn < writes; turn += 1) {
      const order = ['order_by=name', 'order_by=created_at', 'order_by=zone&order_by=name'][
        turn % 3
      ]
      const mover = { ...fleet.samples.facts(), project_id: own, pending_deleted: false }
      await fleet.record([mover])
      const get = (query: string) =>
        ask<{ servers: Server[] }>(beside.url, `/servers?${query}`, { token: owner.token })
      const sees = async () => {
        const answer = await get(`${order}&limit=100`)
        return answer.body.servers.some(({ id }) => id === mover.id)
      }
      assert.ok(await pollForValue(sees, Boolean))
      const next = nextQuery(await get(`${order}&limit=1&details=true`)) ?? assert.fail()
      await fleet.record([{ ...mover, name: 'zzz foreign', project_id: foreign }])
      for (const query of [
        next.replace('limit=1&', 'limit=100&'),
        `${order}&limit=100&details=true`,
      ]) {
        const { status, text, body } = await get(query)
        assert.equal(status, 200, text)
        for (const { project_id, name } of body.servers)
          assert.equal(project_id, own, `${query}: ${name}`)
      }
    }
  })

  test('REL: a revoked permission also applies in the other process, despite its caches', async () => {
    const project = fleet.projects[0] ?? assert.fail()
    const leaver = await fleet.addCaller('project_owner', project)
    const { id } = firstOwn()
    const paths = ['/servers?limit=5', '/servers/statistics', `/servers/${id}`]
    const statuses = async (url: string) =>
      await Promise.all(
        paths.map(async (path) => (await ask(url, path, { token: leaver.token })).status),
      )
    const isIn = (all: readonly number[]) => all.every((status) => status === 200)
    assert.ok(isIn(await pollForValue(() => statuses(beside.url), isIn)))
    assert.ok(isIn(await statuses(fleet.url)))
    const { db } = fleet.platform.database
    await fleet.identities.change(
      db.deleteFrom('assignments').where('user_id', '=', leaver.userId).compile(),
    )
    assert.deepEqual(await statuses(fleet.url), [401, 401, 401])
    const isOut = (all: readonly number[]) => all.every((status) => status === 401)
    assert.deepEqual(await pollForValue(() => statuses(beside.url), isOut), [401, 401, 401])
  })
})
