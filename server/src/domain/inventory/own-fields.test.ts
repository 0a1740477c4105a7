import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Server } from '@muster/contract'
import { prepareAction } from '../tasks/prepare-action.ts'
import { withNotes } from './metadata.ts'
import { withOwnNotes, withProtection } from './own-fields.ts'
import type { Owners } from './owners.ts'
import type { ServerWriter, StoredServer } from './ports.ts'
import { createRecordServers } from './record-servers.ts'
import type { ServerFacts } from './server-facts.ts'

const id = 'server'
const start = Date.UTC(2027, 0, 1)
const inBin = {
  pending_deleted: true,
  pending_deleted_at: '2027-01-01T00:00:00.000000Z',
  auto_delete_at: '2027-01-08T00:00:00.000000Z',
}
const outOfBin = { pending_deleted: false, pending_deleted_at: null, auto_delete_at: null }

/** One server, whose source reports it or not. In another domain it gets another id. */
function createInventory() {
  let now = start
  let last = id
  const stored = new Map<string, StoredServer>()
  const put = (server: Server) => {
    const revision = (stored.get(server.id)?.revision ?? 0) + 1
    stored.set(server.id, { id: server.id, seq: 1, revision, factsDigest: '', server })
    last = server.id
  }
  const reporter = {
    accountId: 'account',
    account: 'lab',
    digestOf: () => `${stored.size} ${now}`,
    findOthers: async () => new Map<string, never>(),
    findSuccessors: async () => new Map<string, Partial<Server>>(),
    findRenamed: async () => new Set<string>(),
    findFormer: async () => new Map<string, never>(),
    sightingsOf: () => ({ accountId: 'account', seen: [], lost: [], fence: { revision: 1 } }),
  }
  const serverWriter = {
    findStored: async () => stored,
    write: async (writes) => {
      for (const { server } of writes) put(server)
      return true
    },
  } as Pick<ServerWriter, 'findStored' | 'write'> as ServerWriter
  const byProject = new Map(
    ['web', 'db', 'foreign'].map((projectId) => [
      projectId,
      { projectId, project: '', domain: '', domainId: projectId === 'foreign' ? 'other' : 'own' },
    ]),
  )
  const owners = { byProject: async () => byProject } as unknown as Owners
  const recordServers = createRecordServers({ serverWriter, owners, clock: () => now })
  const server = () => (stored.get(last) as StoredServer).server
  return {
    server,
    change: (changed: (server: Server) => Server) => put(changed(server())),
    wait: (days: number) => void (now += days * 86_400_000),
    async report(facts: Partial<ServerFacts> = {}): Promise<Server> {
      const reported = {
        id,
        name: 'web-1',
        status: 'ready',
        project_id: 'web',
        account_id: 'account',
        provider: 'Aws',
        ...facts,
      }
      await recordServers({ present: [reported], gone: [], reporter })
      return server()
    },
    async lose(): Promise<Server> {
      await recordServers({ present: [], gone: [id], reporter })
      return server()
    },
  }
}

/** What users write, by the fields in which it is seen. */
const writings: Record<string, (server: Server) => Server> = {
  description: (server) => ({
    ...withOwnNotes(server, { described_by: 'muster' }),
    description: 'The database of the shop',
  }),
  tags: (server) => ({
    ...server,
    metadata: withNotes({ ...server.metadata, 'user:team': 'shop' }, {}),
  }),
  protection: (server) => withProtection(server, { muster: true, source: false }),
  bin: (server) => ({ ...server, ...inBin }),
}

const ownOf = ({ description, disable_delete, metadata, ...server }: Server) => ({
  description,
  disable_delete,
  team: metadata['user:team'],
  pending_deleted: server.pending_deleted,
  auto_delete_at: server.auto_delete_at,
})

describe('what users wrote', () => {
  const names = Object.keys(writings)
  const subsets = Array.from({ length: 2 ** names.length }, (_, bits) =>
    names.filter((_name, at) => (bits >> at) % 2 === 1),
  )
  const reports: Partial<ServerFacts>[] = [
    {},
    { description: 'from the source', name: 'renamed' },
    { project_id: 'db' },
  ]

  test('survives every report, and a disappearance', async () => {
    for (const written of subsets) {
      for (const isLost of [false, true]) {
        for (const report of reports) {
          const { report: tell, change, lose, server } = createInventory()
          await tell({ description: 'from the source' })
          for (const name of written) change(writings[name] as (before: Server) => Server)
          const before = ownOf(server())
          if (isLost) await lose()
          const after = await tell(report)
          const what = JSON.stringify({ written, isLost, report })
          const description = written.includes('description')
            ? before.description
            : (report.description ?? '')
          assert.deepEqual(ownOf(after), { ...before, description }, what)
          assert.equal(after.deleted, false, what)
        }
      }
    }
  })

  test('is not given to another domain, nor back after a purge', async () => {
    for (const written of subsets) {
      const { report, change, lose } = createInventory()
      const plain = ownOf(await report())
      for (const name of written) change(writings[name] as (before: Server) => Server)
      await lose()
      assert.deepEqual(ownOf(await report({ project_id: 'foreign' })), plain, written.join())
    }
    for (const written of subsets) {
      const { report, change, server } = createInventory()
      const plain = ownOf(await report())
      for (const name of written) change(writings[name] as (before: Server) => Server)
      const situation = { server: server(), attached: undefined, support: undefined }
      const prepared = prepareAction(
        'purge',
        {},
        { ...situation, task: undefined, isMissing: true },
        start,
      )
      assert.ok(prepared.kind === 'done')
      change(() => prepared.server)
      assert.deepEqual([server().status, server().deleted], ['unknown', true])
      assert.deepEqual(ownOf(await report()), plain, written.join())
    }
  })

  test('a server leaves the recycle bin if it runs, or returns after its time', async () => {
    for (const [status, days, isLost, stays] of [
      ['ready', 1, false, true],
      ['ready', 1, true, true],
      ['running', 1, false, false],
      ['running', 1, true, false],
      // The retention of an existing server is checked elsewhere.
      ['ready', 8, false, true],
      ['ready', 8, true, false],
    ] as const) {
      const { report, change, lose, wait } = createInventory()
      await report()
      change((server) => ({ ...server, ...inBin }))
      if (isLost) await lose()
      wait(days)
      const { pending_deleted, pending_deleted_at, auto_delete_at } = await report({ status })
      assert.deepEqual(
        { pending_deleted, pending_deleted_at, auto_delete_at },
        stays ? inBin : outOfBin,
        `${status} ${days} ${isLost}`,
      )
    }
  })
})

test('the status of a server that is gone is unknown, also if it shows a task', async () => {
  for (const status of ['running', 'ready', 'suspend', 'starting']) {
    for (const hasTask of [false, true]) {
      const { report, change, lose } = createInventory()
      await report({ status, host: 'host-1' })
      if (hasTask) {
        change((server) => ({
          ...withOwnNotes(server, { task_id: 'task', settled_status: status }),
          status: 'deleting',
        }))
      }
      const gone = await lose()
      assert.deepEqual([gone.status, gone.deleted, gone.host], ['unknown', true, 'host-1'])
      assert.notEqual(gone.metadata['sys:settled_status'], status)
      assert.equal((await report({ status })).status, status)
    }
  }
})
