import { hash } from 'node:crypto'
import { describeReferenced, eachReference, toResource } from '../inventory/referenced-resources.ts'
import { referencedKinds, type ReferencedKind } from '../inventory/kinds.ts'
import type { SeenResource } from '../inventory/resource-recorder.ts'
import type { Account } from './account.ts'
import { limitResource, limitText } from './limit-facts.ts'
import type { ReportedResources } from './reported-resources.ts'
import type { ReportedServer } from './source.ts'
import { createToServerFacts } from './to-server-facts.ts'

/** What is known of each resource, by kind and id. */
const emptyKinds = () =>
  Object.fromEntries(referencedKinds.map((kind) => [kind, new Map<string, object>()])) as Record<
    ReferencedKind,
    Map<string, object>
  >

/** What could not be read says nothing about resources. */
function withoutUnread(server: ReportedServer): ReportedServer {
  const { facts, unread } = server
  if (!unread) return server
  const known = Object.entries(facts).filter(([name]) => !unread.some((field) => field === name))
  return { ...server, facts: Object.fromEntries(known) as typeof facts }
}

/** Collects the resources that an account reports, and those that its servers refer to. */
export function createResourceCollector(account: Account) {
  const toServerFacts = createToServerFacts(account)
  const referenced = emptyKinds()
  const reported = emptyKinds()
  /** The id and the values of each manager, by the id of the tenant; '' without tenants. */
  const tenants = new Map<string, readonly [id: string, values: object]>()
  let current: ReportedServer | undefined
  /** Of the current server, once it refers to something new. */
  let facts: ReturnType<typeof factsOf> | undefined

  /** Called for every id of every server, so it only looks up those that are known. */
  function found(kind: ReferencedKind, id: string): void {
    const known = referenced[kind]
    if (known.has(id) || !current) return
    facts ??= factsOf(current)
    known.set(id, describeReferenced(kind, id, facts))
  }

  const factsOf = (server: ReportedServer) =>
    toServerFacts({ id: '', server, projectId: '', rule: -1 })

  /** The tenants of the account, or the account itself. */
  function managers(): readonly (readonly [id: string, values: object])[] {
    const connected = { status: 'connected', enabled: account.enabled }
    const own = {
      name: account.name,
      provider: account.provider,
      brand: account.brand,
      cloudaccount: account.name,
      cloudaccount_id: account.id,
      tenant_id: account.project_id,
    }
    if (tenants.size === 0) return [[account.id, { ...own, ...connected }]]
    return [...tenants].map(([tenant, [id, values]]) => [
      id,
      { ...values, ...connected, external_id: tenant },
    ])
  }

  /** Taken from the first server of each tenant: a whole server can be large. */
  function describeManager(server: ReportedServer) {
    const its = factsOf(server)
    const id = its.manager_id ?? account.id
    return [id, describeReferenced('cloudproviders', id, its)] as const
  }

  const hasTenants = () => [...tenants.keys()].some((tenant) => tenant !== '')

  function toSeen(kind: ReferencedKind, id: string, hasOneManager: boolean): SeenResource {
    const values: { provider?: string } = { ...referenced[kind].get(id), ...reported[kind].get(id) }
    const { provider = account.provider } = values
    const object = toResource(kind, limitText(id), {
      account: account.name,
      account_id: account.id,
      // With several managers it is not known which of them a host or a network belongs to.
      ...(hasOneManager && { manager: account.name, manager_id: account.id }),
      ...values,
      provider,
      brand: account.brand === account.provider ? provider : account.brand,
    })
    const digest = hash('sha1', JSON.stringify(object), 'base64url')
    return { kind, object, digest, isOnlyReferenced: !reported[kind].has(id) }
  }

  return {
    addServer(server: ReportedServer): void {
      const tenant = limitText(server.tenant?.id ?? '')
      if (!tenants.has(tenant)) tenants.set(tenant, describeManager(server))
      current = withoutUnread(server)
      facts = undefined
      eachReference(current.facts, found)
    },

    /** Returns the names of those that are cut, by kind and id. */
    addReported(resources: ReportedResources): ReadonlyMap<string, string> {
      const cut = new Map<string, string>()
      for (const [kind, list] of Object.entries(resources)) {
        for (const given of list) {
          const { resource, isCut } = limitResource(given)
          reported[kind as ReferencedKind].set(given.id, resource)
          if (isCut) cut.set(`${kind} ${limitText(given.id)}`, resource.name)
        }
      }
      return cut
    },

    /** All that was reported. Without any server, an incomplete scan does not tell the managers. */
    seen(isComplete: boolean): readonly SeenResource[] {
      const areManagersKnown = isComplete || tenants.size > 0
      if (areManagersKnown)
        for (const [id, values] of managers()) reported.cloudproviders.set(id, values)
      const hasOneManager = areManagersKnown && !hasTenants()
      return referencedKinds.flatMap((kind) =>
        [...new Set([...referenced[kind].keys(), ...reported[kind].keys()])]
          .filter((id) => id !== '')
          .map((id) => toSeen(kind, id, hasOneManager)),
      )
    },
  }
}
export type ResourceCollector = ReturnType<typeof createResourceCollector>
