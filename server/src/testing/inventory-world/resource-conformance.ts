import assert from 'node:assert/strict'
import { wireSchema } from '@muster/contract'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { referencedKinds, resourceOf, type ReferencedKind } from '../../domain/inventory/kinds.ts'
import type { Reported } from '../../domain/sources/reported-resources.ts'
import type { ReportedServer, Source } from '../../domain/sources/source.ts'

/** Sources do not report managers, because accounts are what they are made from. */
type Kind = Exclude<ReferencedKind, 'cloudproviders'>
const kinds = referencedKinds.filter((kind): kind is Kind => kind !== 'cloudproviders')

/** Everything besides servers that a scan reports, by id. */
export type ScannedResources = {
  readonly [Of in Kind]: ReadonlyMap<string, Reported<Of>>
}

/** Scans, and checks each resource against the contract. One that is reported twice must be equal. */
export async function scanResources(
  source: Source,
  signal: AbortSignal,
): Promise<ScannedResources> {
  const found = Object.fromEntries(kinds.map((kind) => [kind, new Map()])) as {
    readonly [Of in Kind]: Map<string, Reported<Of>>
  }
  for await (const { resources = {} } of source.scan(signal)) {
    for (const kind of kinds) {
      for (const resource of resources[kind] ?? []) {
        const what = `${resource.name} of ${kind}`
        const schema = Type.Partial(wireSchema(resourceOf(kind)))
        assert.deepEqual(Value.Errors(schema, resource), [], `${what} is not as the contract says`)
        assert.notEqual(resource.id, '')
        assert.notEqual(resource.name, '')
        const known = found[kind].get(resource.id)
        if (known) assert.deepEqual(resource, known, `${what} is reported in two ways`)
        found[kind].set(resource.id, resource)
      }
    }
  }
  return found
}

/** Every id that a server or another resource names leads to a resource of the scan. */
export function requireNamedResources(
  servers: Iterable<ReportedServer>,
  resources: ScannedResources,
): void {
  const requireId = (kind: Kind, id: string | undefined, referrer: string) => {
    if (id === undefined || id === '') return
    assert.ok(resources[kind].has(id), `${referrer} names ${id}, which is not among the ${kind}`)
  }
  interface Sited {
    readonly name: string
    readonly cloudregion_id?: string
    readonly zone_id?: string
  }
  const requireSite = (item: Sited, referrer: string) => {
    requireId('cloudregions', item.cloudregion_id, referrer)
    requireId('zones', item.zone_id, referrer)
  }
  for (const { facts } of servers) {
    requireSite(facts, facts.name)
    requireId('hosts', facts.host_id, facts.name)
    requireId('hosts', facts.backup_host_id, facts.name)
    for (const { network_id } of facts.nics ?? []) requireId('networks', network_id, facts.name)
  }
  const all = kinds.flatMap((kind): Sited[] => [...resources[kind].values()])
  for (const item of all) requireSite(item, item.name)
}
