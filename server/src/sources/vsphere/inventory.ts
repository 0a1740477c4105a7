import { derivedId } from '../../domain/sources/derived-id.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { ListBudget } from '../shared/list-budget.ts'
import { childrenOf, numberOf, textOf, type XmlElement } from '../shared/parse-xml.ts'
import { createPageShrinker } from '../shared/shrink-pages.ts'
import { serialOf } from './host-status.ts'
import {
  listRefs,
  readObjects,
  requireHidden,
  type ObjectContent,
  type PropertySpec,
} from './property-collector.ts'
import type { Api, Session } from './session.ts'
import { isUnparsable, refOf, type ObjectRef } from './soap.ts'

/** An object other than a virtual machine, such as a host or a folder. */
export interface Entity {
  readonly ref: ObjectRef
  readonly name: string
  /** The object that contains it; undefined for the root. */
  readonly parent: ObjectRef | undefined
  /** By property and element. Without those that it does not have. */
  readonly texts: Readonly<Partial<Record<UsedText, string>>>
  /** Of a host: the serial number. */
  readonly serial?: string
  /** Of a host: the VLANs of its standard port groups, by name. */
  readonly vlans?: ReadonlyMap<string, number>
  /** Whether it is a port group that connects switches, not servers. */
  readonly isUplink?: boolean
}

/** What virtual machines refer to. */
export interface Inventory {
  /** Identifies the vCenter or the standalone host. */
  readonly site: string
  /** The names of custom attributes by key. */
  readonly attributes: ReadonlyMap<string, string>
  /** Why some objects are missing. What they contain or describe is unknown then, not absent. */
  readonly errors: readonly SourceError[]
  get(id: string): Entity | undefined
  /** Sorted by id, so that the result does not depend on the order of the response. */
  all(type: RegExp): readonly Entity[]
  /** The nearest object of a type that contains the object, or the object itself. */
  around(id: string, type: RegExp): Entity | undefined
  /** The names of the objects of a type from the outermost to the object itself. */
  pathOf(id: string, type: RegExp): readonly string[]
}

const entityTypes = [
  'Folder',
  'Datacenter',
  'ComputeResource',
  'HostSystem',
  'Datastore',
  'Network',
  'ResourcePool',
]
const portGroups = 'config.network.portgroup'
const spec: PropertySpec = {
  ManagedEntity: ['name', 'parent'],
  HostSystem: [
    'summary.hardware',
    'summary.config.product',
    'hardware.systemInfo',
    'runtime.connectionState',
    'runtime.powerState',
    'runtime.inMaintenanceMode',
    portGroups,
  ],
  Datastore: ['summary.type'],
  Network: ['summary.accessible'],
  DistributedVirtualPortgroup: ['config.defaultPortConfig', 'tag'],
}
const entitiesInPage = 200
/** They have hundreds of port groups, and V8 collects the garbage of large documents late. */
const hostsInPage = 10

/** vSphere escapes three characters in names. */
export const decodeName = (name: string): string =>
  name.replaceAll(/%(?:25|2f|5c)/gi, (code) => decodeURIComponent(code))

export const datacenter = /^Datacenter$/
export const host = /^HostSystem$/
export const folder = /^Folder$/
export const pool = /^(?:ResourcePool|VirtualApp)$/
/** A cluster, or the parent of a host outside of clusters. */
export const computeResource = /ComputeResource$/
export const network = /^(?:Network|DistributedVirtualPortgroup|OpaqueNetwork)$/

/** The id of a host, network, region or zone. Ids of vSphere are unique within a vCenter only. */
export const resourceId = (kind: string, { site }: Inventory, id: string): string =>
  derivedId(kind, 'vsphere', site, id)

async function readAttributes(api: Api) {
  const manager = api.find('customFieldsManager')
  if (!manager) return new Map<string, string>()
  const [content] = await readObjects(api, { [manager.type]: ['field'] }, [manager])
  const fields = childrenOf(content?.properties.get('field'), 'CustomFieldDef')
  return new Map(fields.map((field) => [textOf(field, 'key'), textOf(field, 'name')]))
}

/** Where the texts that are used are: a property, and the path of an element in it. */
const usedTexts = {
  'runtime.connectionState': ['runtime.connectionState'],
  'runtime.powerState': ['runtime.powerState'],
  'runtime.inMaintenanceMode': ['runtime.inMaintenanceMode'],
  'summary.hardware.uuid': ['summary.hardware', 'uuid'],
  'summary.hardware.cpuModel': ['summary.hardware', 'cpuModel'],
  'summary.hardware.memorySize': ['summary.hardware', 'memorySize'],
  'summary.hardware.numCpuThreads': ['summary.hardware', 'numCpuThreads'],
  'summary.config.product.version': ['summary.config.product', 'version'],
  'summary.type': ['summary.type'],
  'summary.accessible': ['summary.accessible'],
  vlanId: ['config.defaultPortConfig', 'vlan', 'vlanId'],
} as const
type UsedText = keyof typeof usedTexts

const vlansOf = (groups: XmlElement | undefined, budget: ListBudget): ReadonlyMap<string, number> =>
  new Map(
    childrenOf(groups, 'HostPortGroup').map((group) => [
      budget.share(textOf(group, 'spec', 'name')),
      numberOf(textOf(group, 'spec', 'vlanId')),
    ]),
  )

/**
 * Keeps only the used values, as plain texts: hosts send megabytes, and elements take more memory than their
 * text.
 */
export function toEntity(
  { ref, properties }: Pick<ObjectContent, 'ref' | 'properties'>,
  budget: ListBudget,
): Entity {
  const texts = Object.entries(usedTexts).map(([name, [property, ...path]]) => [
    name,
    textOf(properties.get(property), ...path),
  ])
  const serial = serialOf(properties)
  const vlans = vlansOf(properties.get(portGroups), budget)
  const isUplink = childrenOf(properties.get('tag'), 'Tag').some(
    (tag) => textOf(tag, 'key') === 'SYSTEM/DVS.UPLINKPG',
  )
  return {
    ref,
    name: decodeName(properties.get('name')?.text ?? ''),
    parent: refOf(properties.get('parent')),
    texts: Object.fromEntries(texts.filter(([, text]) => text !== '')),
    ...(serial !== '' && { serial }),
    ...(vlans.size > 0 && { vlans }),
    ...(isUplink && { isUplink }),
  }
}

const sortById = (entities: readonly Entity[]) =>
  entities.toSorted((one, other) => (one.ref.id < other.ref.id ? -1 : 1))

async function readEntities(api: Api, budget: ListBudget): Promise<readonly Entity[]> {
  const entities: Entity[] = []
  const readShrinking = createPageShrinker({ largest: entitiesInPage, smallest: 1 }, isUnparsable)
  const listed = await listRefs(api, entityTypes)
  const others = listed.filter(({ type }) => !host.test(type))
  const refs = [...others, ...listed.filter(({ type }) => host.test(type))]
  for (let at = 0; at < refs.length;) {
    const { page, next } = await readShrinking(async (size) => {
      const end =
        at < others.length ? Math.min(at + size, others.length) : at + Math.min(size, hostsInPage)
      return { page: await readObjects(api, spec, refs.slice(at, end)), next: end }
    })
    at = next
    for (const content of page) {
      const entity = toEntity(content, budget)
      if (budget.take(entity, `objects at ${api.host}`)) entities.push(entity)
      else at = refs.length
    }
  }
  // The rest was left out, and the account tells so.
  if (budget.errors().length > 0) return sortById(entities)
  // Servers would lose their region or host if a part of the list were missing. No list has the root.
  const read = new Set([api.manager('rootFolder').id, ...entities.map(({ ref }) => ref.id)])
  const named = [...refs, ...entities.flatMap(({ parent }) => parent ?? [])]
  const missing = new Map(named.filter(({ id }) => !read.has(id)).map((ref) => [ref.id, ref]))
  await requireHidden(api, [...missing.values()])
  return sortById(entities)
}

/** Reads everything that virtual machines refer to. */
export async function readInventory(
  session: Session,
  group: string,
  signal: AbortSignal,
): Promise<Inventory> {
  const api = session.until(signal)
  const budget = new ListBudget()
  const entities = await readEntities(api, budget)
  const attributes = await readAttributes(api)
  const inventory = createInventory(entities, attributes, session.uuid, group, budget.errors())
  if (inventory.all(datacenter).length > 0) return inventory
  throw new SourceError(
    'forbidden',
    `The user sees no datacenter at ${api.host}: give it the role Read-only on the root, for all children.`,
  )
}

export function createInventory(
  entities: readonly Entity[],
  attributes: ReadonlyMap<string, string>,
  uuid: string,
  group = '',
  errors: readonly SourceError[] = [],
): Inventory {
  const byId = new Map(entities.map((entity) => [entity.ref.id, entity]))
  const all = (type: RegExp) => entities.filter(({ ref }) => type.test(ref.type))

  /** The object and all that contain it, innermost first. */
  function chainOf(id: string): readonly Entity[] {
    const chain = new Set<Entity>()
    let entity = byId.get(id)
    while (entity && !chain.has(entity)) {
      chain.add(entity)
      entity = entity.parent && byId.get(entity.parent.id)
    }
    return [...chain]
  }

  return {
    // A standalone host has no UUID as a service. A group also separates copies of a vCenter.
    site: group + (uuid || (all(host)[0]?.texts['summary.hardware.uuid'] ?? '')),
    attributes,
    errors,
    get: (id) => byId.get(id),
    all,
    around: (id, type) => chainOf(id).find(({ ref }) => type.test(ref.type)),
    pathOf: (id, type) =>
      chainOf(id)
        .filter(({ ref }) => type.test(ref.type))
        .map(({ name }) => name)
        .toReversed(),
  }
}
