import assert from 'node:assert/strict'
import { newId } from '../../domain/new-id.ts'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { writeServer } from '../../domain/tasks/accept-task.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { createContractClient } from '../contract-client.ts'
import type { Engine } from '../engines.ts'
import { insertToken } from '../identity-world/insert-token.ts'
import { createIdentityWorld } from '../identity-world/create-identity-world.ts'
import type { ModelCaller } from './server-model.ts'
import { createNumbers, createServerSamples } from './server-samples.ts'
import { createStoredServers, type ModelProject } from './stored-servers.ts'
import { startPlatform, type TestPlatform } from '../start-platform.ts'

/** Five projects in three domains; two of the same name. */
const plan = [
  ['Research', 'genome'],
  ['Research', 'Ωmega'],
  ['Research', 'archive'],
  ['Trade', 'genome'],
  ['Öffentlich', "o'hara 100%"],
] as const

/** Adds projects, and callers with different roles. */
async function settle(platform: TestPlatform) {
  const { database } = platform
  const identities = createIdentityWorld(database)
  const domains = new Map<string, string>()
  const projects: ModelProject[] = []
  for (const [domain, name] of plan) {
    const domainId = domains.get(domain) ?? (await identities.addDomain(domain))
    domains.set(domain, domainId)
    projects.push({ id: await identities.addProject(name, domainId), name, domainId, domain })
  }

  async function addCaller(role: string, project: ModelProject) {
    const { id: projectId, domainId } = project
    const userId = await identities.addUser({ name: `${role} ${newId()}`, domainId })
    const isDomain = role.startsWith('domain_')
    const isSystem = !isDomain && !role.startsWith('project_')
    const where = isDomain ? { domainId } : isSystem ? {} : { projectId }
    await identities.assign({ role, userId, ...where })
    if (isSystem) await identities.assign({ role: 'project_viewer', userId, projectId })
    const scope = isDomain
      ? ({ kind: 'domain', id: domainId } as const)
      : ({ kind: 'project', id: projectId } as const)
    // Tests move the clock.
    const expiresAt = Date.now() + 800 * 86_400_000
    const token = await insertToken(database, { userId, scope, expiresAt })
    const model: ModelCaller = {
      name: role,
      scope: isDomain ? { domainId } : { project },
      isSystem,
      mayChange: ['admin', 'domain_admin', 'project_owner'].includes(role),
    }
    return { ...model, userId, token, ...createContractClient(platform.url, token) }
  }

  const [first, , third, fourth, fifth] = projects as [
    ModelProject,
    ModelProject,
    ModelProject,
    ModelProject,
    ModelProject,
  ]
  const callers = {
    owner: await addCaller('project_owner', first),
    viewer: await addCaller('project_viewer', first),
    domainAdmin: await addCaller('domain_admin', first),
    auditor: await addCaller('auditor', fourth),
    admin: await addCaller('admin', fifth),
  }
  return { identities, projects, callers, addCaller, third }
}
type Settled = Awaited<ReturnType<typeof settle>>
export type InventoryCaller = Awaited<ReturnType<Settled['addCaller']>>

interface Options {
  readonly seed?: number
  readonly servers?: number
  /** Flags, as an operator would pass them. */
  readonly flags?: readonly string[]
}

/** A platform with servers, and the model that predicts its responses. */
export async function startInventoryWorld(
  engine: Engine,
  { seed = 1, servers = 150, flags = [] }: Options = {},
) {
  let now = Date.now()
  const platform = await startPlatform({ engine, clock: () => now, flags })
  const settled = await settle(platform)
  const { projects } = settled
  const world = createStoredServers(projects)
  const samples = createServerSamples(
    createNumbers(seed),
    projects.map(({ id }) => id),
  )

  const fleet = {
    ...settled,
    platform,
    world,
    samples,
    url: platform.url,
    all: Object.values(settled.callers),
    /** The clock moves only here, so that a test knows every timestamp. */
    tick: () => {
      now += 1000
      return now
    },
    now: () => now,
    /** Moves the clock by milliseconds. */
    skip: (passed: number) => {
      now += passed
    },
    async record(present: readonly ServerFacts[], gone: readonly string[] = []): Promise<void> {
      const at = fleet.tick()
      await platform.inventory.recordServers({ present, gone })
      world.record(present, gone, at)
    },
    /** Moves servers into the recycle bin, or out of it, as tasks do. */
    async recycle(ids: readonly string[], isRecycled: boolean): Promise<void> {
      const at = fleet.tick()
      const moment = isRecycled ? timestamp(at) : null
      const bin = {
        pending_deleted: isRecycled,
        pending_deleted_at: moment,
        auto_delete_at: moment,
      }
      const { serverWriter } = platform.inventory
      const stored = await serverWriter.findStored(ids)
      const writes = [...stored.values()].map((one) =>
        writeServer(one, { ...one.server, ...bin }, at),
      )
      assert.ok(writes.length === ids.length && (await serverWriter.write(writes, [])))
      for (const id of ids) world.recycle(id, bin, at)
    },
    add: (count: number) => fleet.record(Array.from({ length: count }, () => samples.facts())),
  }
  try {
    await fleet.add(servers)
    return fleet
  } catch (error) {
    // No other code can close it.
    await platform.close()
    throw error
  }
}
export type InventoryWorld = Awaited<ReturnType<typeof startInventoryWorld>>
