import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type CloudAccount,
  type FieldDescription,
  inventoryNames,
  itemFields,
} from '@muster/contract'
import { toResource } from '../../domain/inventory/referenced-resources.ts'
import type { ResourceObject } from '../../domain/inventory/resource-finder.ts'
import {
  describedChildKinds,
  inventoryKinds,
  referencedKinds,
  referenceTo,
  resourceOf,
  type ChildKind,
  type InventoryKind,
  type ReferencedKind,
} from '../../domain/inventory/kinds.ts'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { createResourceRecorder } from '../../storage/resources/resource-recorder.ts'
import { nightlyRuns, onPostgresFirst } from '../../testing/lanes.ts'
import {
  minimalServer,
  referringFacts,
  withDisk,
  withItems,
} from '../../testing/inventory-world/minimal-server.ts'
import { createNumbers } from '../../testing/inventory-world/server-samples.ts'
import {
  compareCodePoints,
  foldText,
  isLike,
  timestampNumber,
} from '../../testing/inventory-world/server-model-text.ts'
import {
  startInventoryWorld,
  type InventoryCaller,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'

type Scalar = string | number | null

const draw = createNumbers(11)
const pick = <Item>(items: readonly Item[]): Item => items[draw(items.length - 1)] as Item
const texts = ['', 'web', 'Web', 'web-2', "o'hara 100%", 'a_b', 'Ωmega', 'ωMEGA', 'ß', '\\', '𝒳']
const operators = [
  'in notin between ge gt le lt like contains startswith endswith equals notequals',
  'isnull isnotnull isempty isnotempty isnullorempty',
].flatMap((line) => line.split(' '))

const operationOf = (kind: InventoryKind) => `list${inventoryNames[kind].nouns}` as const

/** A value as it is compared: booleans and times as numbers. */
function scalarOf(value: unknown, { type }: FieldDescription): Scalar {
  if (value === null) return null
  if (type === 'timestamp') return timestampNumber(value as string)
  return typeof value === 'boolean' ? Number(value) : (value as string | number)
}

function compare(a: Scalar, b: Scalar): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  return typeof a === 'number' ? a - Number(b) : compareCodePoints(a, String(b))
}

interface Filter {
  readonly field: string
  readonly operator: string
  readonly values: readonly (string | number)[]
}

function meets(object: ResourceObject, field: FieldDescription, filter: Filter): boolean {
  const { operator } = filter
  const isFolded = field.type === 'enum' && /^(in|notin|equals|notequals)$/.test(operator)
  const asCompared = (scalar: Scalar) =>
    isFolded && typeof scalar === 'string' ? foldText(scalar) : scalar
  const value = asCompared(scalarOf(object[filter.field], field))
  const wanted = filter.values.map(asCompared)
  const [first = null, second = null] = wanted
  const [text, part] = [foldText(String(value)), foldText(String(first))]
  const isThere = value !== null
  switch (operator) {
    case 'in':
    case 'equals':
      return isThere && wanted.includes(value)
    case 'notin':
    case 'notequals':
      return !isThere || !wanted.includes(value)
    case 'between':
      return isThere && compare(value, first) >= 0 && compare(value, second) <= 0
    case 'ge':
      return isThere && compare(value, first) >= 0
    case 'gt':
      return isThere && compare(value, first) > 0
    case 'le':
      return isThere && compare(value, first) <= 0
    case 'lt':
      return isThere && compare(value, first) < 0
    case 'like':
      return isLike(String(value), String(first))
    case 'contains':
      return text.includes(part)
    case 'startswith':
      return text.startsWith(part)
    case 'endswith':
      return text.endsWith(part)
    case 'isnull':
      return !isThere
    case 'isnotnull':
      return isThere
    case 'isempty':
      return value === ''
    case 'isnotempty':
      return isThere && value !== ''
    default:
      return !isThere || value === ''
  }
}

const runs = nightlyRuns(300)

onPostgresFirst('lists of resources, compared with a model', (engine) => {
  let fleet: InventoryWorld
  const objects = {} as Record<InventoryKind, readonly ResourceObject[]>
  const servers: { readonly facts: ServerFacts; readonly at: number }[] = []

  const fieldsOf = (kind: InventoryKind) => Object.entries(resourceOf(kind).fields)

  /** The ids are few, so that servers share disks. */
  const randomDisks = () =>
    Array.from({ length: draw(2) }, (_, index) => {
      const id = `${pick(['a', 'B', 'ö'])}-${index}-${draw(9)}`
      const { disks_info = [] } = withDisk({
        id,
        index,
        name: pick(texts),
        size: draw(3) * 1024,
        fs: pick(texts),
        image: pick(texts),
      })
      return disks_info
    }).flat()

  function randomValue({ type }: FieldDescription): unknown {
    if (type === 'number') return draw(3) * 1024
    return type === 'boolean' ? draw(1) === 1 : pick(texts)
  }

  /** Of kinds whose items follow from their description. */
  const randomItems = (kind: ChildKind) =>
    Array.from({ length: draw(2) }, (_, index) => {
      const fields = itemFields(resourceOf(kind)).map((name) => {
        const { [name]: field } = resourceOf(kind).fields
        const isTime = field?.type === 'timestamp'
        return [name, field && !isTime ? randomValue(field) : '2026-03-02T01:00:00.000000Z']
      })
      return { ...Object.fromEntries(fields), id: `${pick(['a', 'B', 'ö'])}-${index}-${draw(9)}` }
    })

  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    const { admin } = fleet.callers
    const [project] = fleet.projects
    const cloudaccount = {
      name: 'model',
      provider: 'OneCloud',
      address: 'qemu+unix:///system?socket=/nowhere',
      project_id: project?.id,
      enabled: false,
    }
    const { body } = await admin.call<{ cloudaccount: CloudAccount }>('createCloudAccount', {
      body: { cloudaccount },
    })
    const seen = referencedKinds.flatMap((kind) =>
      Array.from({ length: 30 }, (_, at) => {
        const values = fieldsOf(kind).map(([name, field]) => [name, randomValue(field)])
        const times = { created_at: null, updated_at: null }
        const id = `${pick(['a', 'B', 'ö'])}-${at}`
        return {
          kind,
          object: toResource(kind, id, { ...Object.fromEntries(values), ...times }),
          digest: 'x',
          isOnlyReferenced: false,
        }
      }),
    )
    const account = { id: body.cloudaccount.id, fence: { revision: 1 } }
    await createResourceRecorder(fleet.platform.database, Date.now).record(account, seen, true)
    const idOf = (kind: ReferencedKind) => pick(seen.filter((each) => each.kind === kind)).object.id
    for (let count = 0; count < 60; count += 1) {
      const at = draw(fleet.projects.length - 1)
      const facts = minimalServer(fleet.projects[at]?.id ?? '', {
        ...referringFacts(idOf),
        nics: [1, 2].flatMap(() => referringFacts(idOf).nics ?? []),
        pending_deleted: draw(4) === 0,
      })
      servers.push({
        facts: { ...facts, disks_info: randomDisks(), ...withItems(randomItems, facts.id) },
        at,
      })
    }
    await fleet.record(servers.map(({ facts }) => facts))
    // The times are those of the writes, so the model takes them from the whole list.
    for (const kind of referencedKinds) {
      const all = await admin.get<Record<string, ResourceObject[]>>(operationOf(kind), {
        query: 'details=true&limit=100',
      })
      objects[kind] = all[kind] ?? []
      const written = seen.filter((each) => each.kind === kind).map(({ object }) => object)
      const untimed = objects[kind].map((each) => ({ ...each, created_at: null, updated_at: null }))
      const sorted = (list: readonly ResourceObject[]) =>
        list.toSorted((a, b) => compareCodePoints(a.id, b.id))
      const { count } = referenceTo(kind)
      assert.deepEqual(
        sorted(untimed).map((each) => ({ ...each, [count]: 0 })),
        sorted(written).map((each) => ({ ...each, [count]: 0 })),
      )
    }
    const { disks } = await admin.get<{ disks: ResourceObject[] }>('listDisks', {
      query: 'details=true&limit=200',
    })
    objects.disks = disks
    const expected = servers.flatMap(({ facts }) =>
      (facts.disks_info ?? []).map(({ id, name, size, fs, image }) => ({
        id,
        name,
        disk_size: size,
        fs_format: fs,
        template: image,
        guest_id: facts.id,
        guest: facts.name,
        guest_status: facts.status,
        provider: facts.provider,
        zone_id: facts.zone_id,
        project_id: facts.project_id,
      })),
    )
    const shown = disks.map((disk) =>
      Object.fromEntries(Object.keys(expected[0] ?? {}).map((name) => [name, disk[name]])),
    )
    const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).toSorted()
    assert.deepEqual(sorted(shown), sorted(expected))
    for (const kind of describedChildKinds) {
      const { fields, visibility } = resourceOf(kind)
      const { [kind]: list = [] } = await admin.get<Record<string, ResourceObject[]>>(
        operationOf(kind),
        { query: 'details=true&limit=200' },
      )
      objects[kind] = list
      const rows = servers.flatMap(({ facts }) => {
        const { [`${kind}_info`]: items = [] } = facts as unknown as Record<string, object[]>
        return items.map((item) => ({ facts, item: item as Readonly<Record<string, unknown>> }))
      })
      const valueOf = (name: string, { facts, item }: (typeof rows)[number]) => {
        const { [name]: field } = fields
        if (name === visibility.field) return facts.id
        return field?.ofServer === undefined
          ? item[name]
          : (facts as unknown as Record<string, unknown>)[field.ofServer]
      }
      // Times of writes, and fields of servers that the facts leave out, are not compared.
      const compared = Object.keys(fields).filter((name) =>
        rows.some((row) => valueOf(name, row) !== undefined),
      )
      const project = (value: (name: string) => unknown) => compared.map(value)
      assert.deepEqual(
        sorted(list.map((object) => project((name) => object[name]))),
        sorted(rows.map((row) => project((name) => valueOf(name, row)))),
      )
    }
  })
  after(() => fleet.platform.close())

  const refers = (kind: ReferencedKind, server: ServerFacts, id: string) => {
    const { field } = referenceTo(kind)
    return field === 'nics'
      ? server.nics?.some(({ network_id }) => network_id === id) === true
      : server[field] === id
  }

  interface Visible {
    readonly object: ResourceObject
    readonly count?: number
  }
  function visibleTo(kind: InventoryKind, caller: InventoryCaller): readonly Visible[] {
    const mine = servers.filter(({ at }) => {
      const project = fleet.projects[at]
      const { project: own, domainId } = caller.scope as {
        project?: { id: string }
        domainId?: string
      }
      const isVisible = own ? project?.id === own.id : project?.domainId === domainId
      return caller.isSystem || isVisible
    })
    const { through, field: parent } = resourceOf(kind).visibility
    if (through === 'parent') {
      const ids = new Set(mine.map(({ facts }) => facts.id))
      return objects[kind]
        .filter((item) => ids.has(String(item[parent])))
        .map((object) => ({ object }))
    }
    return objects[kind]
      .map((object) => {
        const referring = mine.filter(({ facts }) =>
          refers(kind as ReferencedKind, facts, object.id),
        )
        const count = referring.filter(({ facts }) => facts.pending_deleted !== true).length
        return { object, count, isReferenced: referring.length > 0 }
      })
      .filter(({ isReferenced }) => caller.isSystem || isReferenced)
  }

  function randomFilter(kind: InventoryKind, field: string, description: FieldDescription): Filter {
    const { type } = description
    const isText = type === 'text' || type === 'enum'
    const possible = operators.filter(
      (operator) =>
        (isText || !/like|contains|with/.test(operator)) &&
        (type !== 'boolean' || !/^(between|[gl][et])$/.test(operator)),
    )
    const operator = pick(possible)
    const value = () => {
      const known = scalarOf(pick(objects[kind])[field], description) ?? 0
      if (!isText || draw(2) > 0) return known
      const text = pick([...texts, '%', '%e%', '_', 'W'])
      return draw(1) === 0 ? text : text.toUpperCase()
    }
    const counts = { in: 1 + draw(2), notin: 1 + draw(2), between: 2 } as Record<string, number>
    const count = operator.startsWith('is') ? 0 : (counts[operator] ?? 1)
    return { field, operator, values: Array.from({ length: count }, value) }
  }

  const written = (value: string | number, { type }: FieldDescription) => {
    if (type === 'timestamp') return `'${new Date(Number(value) / 1_000).toISOString()}'`
    if (type === 'boolean') return Number(value) === 1 ? 'true' : 'false'
    const quoted = String(value).replaceAll('\\', '\\\\').replaceAll("'", "\\'")
    return type === 'number' ? String(value) : `'${quoted}'`
  }

  for (const kind of inventoryKinds) {
    test(`${kind} match ${runs} random queries`, async () => {
      const { owner, domainAdmin, admin } = fleet.callers
      const { visibility, ...resource } = resourceOf(kind)
      const { fields, fieldsWithoutSystemRole: few = Object.keys(fields) } = resource
      const count = visibility.through === 'servers' ? visibility.count : ''
      /** Several servers can have a disk with the same id. */
      const tie = (object: ResourceObject) =>
        visibility.through === 'parent' ? String(object[visibility.field]) : ''
      for (let run = 0; run < runs; run += 1) {
        const caller = pick([owner, domainAdmin, admin, admin])
        const usable = fieldsOf(kind).filter(
          ([name, { uses }]) => uses.includes('filter') && (caller.isSystem || few.includes(name)),
        )
        const filters = Array.from({ length: draw(2) }, () => {
          const [name, field] = pick(usable)
          return { field, filter: randomFilter(kind, name, field) }
        })
        const [sortName, sortField] = pick(usable)
        const isAny = draw(1) === 0
        const descending = draw(1) === 0
        const search = draw(3) === 0 ? pick(texts) : ''
        const [limit, offset] = [draw(8), draw(5)]
        const query = new URLSearchParams({
          order_by: sortName,
          order: descending ? 'desc' : 'asc',
          limit: String(limit),
          offset: String(offset),
          filter_any: String(isAny),
          ...(search !== '' && { search }),
        })
        for (const { field, filter } of filters) {
          const values = filter.values.map((value) => written(value, field))
          query.append('filter', `${filter.field}.${filter.operator}(${values.join(',')})`)
        }
        const isFound = (object: ResourceObject) =>
          search.trim() === '' ||
          usable.some(
            ([name, { uses }]) =>
              uses.includes('search') && foldText(String(object[name])).includes(foldText(search)),
          )
        const expected = visibleTo(kind, caller)
          .filter(({ object }) => {
            const met = filters.map(({ field, filter }) => meets(object, field, filter))
            const isMet = isAny && met.length > 0 ? met.some(Boolean) : met.every(Boolean)
            return isMet && isFound(object)
          })
          .toSorted(({ object: a }, { object: b }) => {
            const keys = compare(scalarOf(a[sortName], sortField), scalarOf(b[sortName], sortField))
            const order = keys || compareCodePoints(tie(a), tie(b)) || compareCodePoints(a.id, b.id)
            return descending ? -order : order
          })
        const note = `${caller.name} ${decodeURIComponent(query.toString())}`
        const page = await caller.get<Record<string, ResourceObject[]> & { total: number }>(
          operationOf(kind),
          { query: query.toString() },
        )
        assert.deepEqual(
          (page[kind] ?? []).map((each) => [each.id, tie(each), each[count]]),
          expected
            .slice(offset, offset + limit)
            .map((each) => [each.object.id, tie(each.object), each.count]),
          note,
        )
        assert.equal(page.total, expected.length, note)
      }
    })
  }
})
