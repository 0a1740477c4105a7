import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { callerFields } from '@muster/contract'
import fc from 'fast-check'
import { ask } from '../../testing/client.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
  type InventoryCaller,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { createServerQueries } from '../../testing/inventory-world/random-server-queries.ts'
import { queryText, statisticsText } from '../../testing/inventory-world/server-query.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

const foreignServers = 1_000
const queryCount = 80
const atOnce = 8

/** A name and a tag that only the other tenant's server has. */
const secretName = 'zanzibar-foreign'
const secretTag = 'zanzibar'

onPostgresFirst('another tenant', (engine) => {
  let fleet: InventoryWorld
  let people: InventoryCaller[]
  let foreignIds: string[]
  before(async () => {
    fleet = await startInventoryWorld(engine, { seed: 3, servers: 120 })
    people = [fleet.callers.owner, fleet.callers.viewer, fleet.callers.domainAdmin]
    // One exists from the start, for requests about other tenants' servers.
    const facts = { ...fleet.samples.facts(), name: secretName, tags: { [secretTag]: 'hidden' } }
    await fleet.record([
      { ...facts, project_id: foreignProject(), eip: '198.51.100.77', pending_deleted: false },
    ])
    foreignIds = [facts.id]
  })
  after(() => fleet.platform.close())

  const foreignProject = () => fleet.projects.at(-1)?.id ?? ''
  const get = async (token: string, path: string) =>
    comparableParts(await ask<unknown>(fleet.url, path, { token }))

  /** All queries a caller can send, in many forms. */
  function paths(caller: InventoryCaller): string[] {
    const servers = fleet.world.servers()
    const { serverQuery, serverFilter, groups } = createServerQueries(servers)
    const seen = servers.filter(({ project_id, domain_id }) =>
      'project' in caller.scope
        ? project_id === caller.scope.project.id
        : domain_id === caller.scope.domainId,
    )
    const some = fc.sample(serverQuery, { numRuns: queryCount, seed: 7 })
    return [
      '/servers',
      '/servers?limit=0',
      '/servers?scope=max&details=true&with_meta=true&limit=2048',
      ...some.map((asked) => `/servers?${queryText(asked)}`),
      ...some.slice(0, 15).map((asked) => `/servers?${queryText(asked)}&format=csv`),
      ...some.slice(15, 30).map((asked) => `/servers?${queryText(asked)}&format=ndjson`),
      '/servers/statistics',
      '/servers/statistics?group_by=project&group_by=zone&group_by=metadata.env&group_by=created_at',
      ...fc
        .sample(fc.tuple(serverFilter, groups), { numRuns: 20, seed: 8 })
        .map(([asked, by]) => `/servers/statistics?${statisticsText(asked, by)}`),
      ...seen
        .slice(0, 8)
        .flatMap(({ id, name }) => [
          `/servers/${id}`,
          `/servers/${id}/metadata`,
          `/servers/${encodeURIComponent(name)}`,
        ]),
      `/servers/${foreignIds[0]}`,
      `/servers/${secretName}`,
    ]
  }

  async function lookAround(): Promise<Map<string, unknown>> {
    const seen = new Map<string, unknown>()
    for (const { name, token, ...caller } of people) {
      const all = paths({ name, token, ...caller })
      for (let at = 0; at < all.length; at += atOnce) {
        await Promise.all(
          all.slice(at, at + atOnce).map(async (path) => {
            seen.set(`${name} ${path}`, await get(token, path))
          }),
        )
      }
    }
    return seen
  }

  test(`SEC-61: ${foreignServers} servers of another tenant do not change a byte of any response`, async () => {
    const earlier = await lookAround()
    assert.ok(earlier.size > 3 * queryCount)
    const others = Array.from({ length: foreignServers }, () => ({
      ...fleet.samples.facts(),
      project_id: foreignProject(),
    }))
    const { recordServers } = fleet.platform.inventory
    const isUnchanged = async (what: string) => {
      // Only the first paths: the model does not know later changes.
      for (const [path, answer] of await lookAround()) {
        assert.deepEqual(answer, earlier.get(path), `${path}, when others ${what}`)
      }
    }
    await recordServers({ present: others, gone: [] })
    await isUnchanged('have more')
    const changed = others.slice(0, 300).map((facts) => ({ ...facts, name: `new ${facts.name}` }))
    await recordServers({ present: changed, gone: others.slice(300, 400).map(({ id }) => id) })
    const { admin } = fleet.callers
    for (const { id } of others.slice(400, 410)) {
      const metadata = { env: 'foreign', [secretTag]: id }
      await admin.get('mergeServerMetadata', { path: { id }, body: { metadata } })
    }
    await isUnchanged('have changed')
  })

  test('SEC-62: invisible servers give the same bytes as unknown ones', async () => {
    const [foreign = '', absent] = [foreignIds[0], randomUUID()]
    const pairs: [string, string][] = [
      ...['', '/metadata'].map((rest): [string, string] => [
        `/servers/${foreign}${rest}`,
        `/servers/${absent}${rest}`,
      ]),
      [`/servers/${secretName}`, '/servers/zanzibar-nowhere'],
      [`/servers/${secretName}/metadata`, '/servers/zanzibar-nowhere/metadata'],
    ]
    const filters: [string, string][] = [
      [`id=${foreign}`, `id=${absent}`],
      [`filter=id.equals(${foreign})`, `filter=id.equals(${absent})`],
      [`search=${foreign}`, `search=${absent}`],
      [`q=id:${foreign}`, `q=id:${absent}`],
      [`name=${secretName}`, 'name=zanzibar-nowhere'],
      [`tags=${secretTag}`, 'tags=zanzibor'],
      [`tags=ext:${secretTag}=hidden`, 'tags=ext:zanzibor=hidden'],
      ['ip=198.51.100.77', 'ip=198.51.100.78'],
      [`project_id=${foreignProject()}`, `project_id=${absent}`],
      [`project=${encodeURIComponent(fleet.projects.at(-1)?.name ?? '')}`, 'project=none'],
      [`filter=project.equals(${foreignProject()})`, `filter=project.equals(${absent})`],
    ]
    for (const { token } of people) {
      for (const [theirs, nobodys] of pairs) {
        const answer = await get(token, theirs)
        assert.equal(answer.status, 404, theirs)
        assert.deepEqual(answer, await get(token, nobodys), theirs)
      }
      for (const [theirs, nobodys] of filters) {
        for (const path of ['/servers', '/servers/statistics']) {
          const answer = await get(token, `${path}?${theirs}`)
          assert.equal(answer.status, 200, theirs)
          assert.deepEqual(answer, await get(token, `${path}?${nobodys}`), theirs)
        }
      }
    }
  })

  test('SEC-62: changing an invisible server is the same as changing an unknown one', async () => {
    const body = { metadata: { a: 'b' } }
    for (const { token } of people) {
      for (const method of ['POST', 'PUT']) {
        const change = async (id = '') =>
          comparableParts(
            await ask<unknown>(fleet.url, `/servers/${id}/metadata`, { method, token, body }),
          )
        const answer = await change(foreignIds[0])
        assert.ok(answer.status === 404 || answer.status === 403)
        assert.deepEqual(answer, await change(randomUUID()))
        assert.deepEqual(await change(secretName), await change('zanzibar-nowhere'))
      }
    }
  })

  test('SEC-62: fields that depend on the caller cannot be queried', async () => {
    const projectId = await fleet.identities.addProject('empty')
    const nobody = await fleet.addCaller('project_owner', {
      id: projectId,
      name: 'empty',
      domainId: 'default',
      domain: 'Default',
    })
    for (const field of callerFields) {
      const asked = (value: string) => [
        `/servers?${field}=${value}`,
        `/servers?filter=${field}.equals(${value})`,
        `/servers?order_by=${field}&limit=${value.length}`,
        `/servers?q=${field}:${value}`,
        `/servers/statistics?group_by=${field}&search=${value}`,
      ]
      for (const [at, path] of asked('ag').entries()) {
        const { status, text } = await get(fleet.callers.owner.token, path)
        assert.equal(status, 400, path)
        assert.equal((await get(nobody.token, path)).text, text, path)
        const other = await get(fleet.callers.owner.token, asked('zz')[at] ?? '')
        assert.equal(other.text.replaceAll('zz', 'ag'), text, path)
      }
    }
  })

  test('SEC-62: a marker that names a server of another tenant reveals nothing about it', async () => {
    const { owner } = fleet.callers
    const first = await ask(fleet.url, '/servers?limit=1', { token: owner.token })
    const marker = /marker=([\w-]+)/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const [digest, key] = JSON.parse(Buffer.from(marker, 'base64url').toString()) as [
      string,
      number,
    ]
    const after = async (id: string) => {
      const forged = Buffer.from(JSON.stringify([digest, key, id])).toString('base64url')
      return (await get(owner.token, `/servers?limit=50&marker=${forged}`)).text
    }
    const foreign = foreignIds[0] ?? ''
    // One position before it and one after it, with no server of the caller between.
    const beside = foreign.slice(0, -1) + (foreign.endsWith('0') ? '1' : '0')
    assert.equal(await after(foreign), await after(beside))
  })
})
