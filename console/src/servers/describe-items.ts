/** A changed field or tag, in words. */
export interface FieldChange {
  readonly key: string
  readonly label: string
  /** Undefined if there was no value. */
  readonly before: string | undefined
  readonly after: string | undefined
}

/** A field of an item, such as the size of a disk. */
export interface ItemField {
  readonly name: string
  readonly label: string
  /** In MB. */
  readonly isSize?: boolean
}

/** Disks, or network interfaces. */
export interface ItemList {
  /** The field that identifies an item. Without a value of it, its position does. */
  readonly key: string
  readonly fields: readonly ItemField[]
  readonly nameOf: (key: string) => string
  /** The fields that describe an item that is new or gone. */
  readonly summary: readonly string[]
}

type Item = Readonly<Record<string, unknown>>
type Describe = (field: string, value: unknown) => string | undefined

function byKey(list: unknown, key: string): ReadonlyMap<string, Item> {
  const items = Array.isArray(list) ? (list as readonly Item[]) : []
  return new Map(
    items.map((item, at) => {
      const id = item[key]
      const isKnown = typeof id === 'number' || (typeof id === 'string' && id !== '')
      return [isKnown ? String(id) : `#${at + 1}`, item]
    }),
  )
}

const describeValueOf =
  (field: string, describe: Describe) =>
  (item: Item | undefined, { name, isSize }: ItemField) =>
    item && describe(isSize ? 'disk' : `${field}.${name}`, item[name])

/** A field of an item of several servers, in words. */
interface ComparedItem {
  readonly key: string
  readonly label: string
  readonly values: readonly (string | undefined)[]
}

/** The items of several servers by their position, because no two servers have one in common. */
export function compareItems(
  field: string,
  lists: readonly unknown[],
  { key, fields, nameOf }: ItemList,
  describe: Describe,
): readonly ComparedItem[] {
  const textOf = describeValueOf(field, describe)
  const items = lists.map((list) => (Array.isArray(list) ? (list as readonly Item[]) : []))
  const count = Math.max(...items.map(({ length }) => length))
  return Array.from({ length: count }, (_, at) => at).flatMap((at) =>
    fields.map((each) => ({
      key: `${field} ${at} ${each.name}`,
      // Disks have numbers from 0.
      label: `${nameOf(key === 'index' ? String(at) : `#${at + 1}`)} · ${each.label}`,
      values: items.map((list) => textOf(list[at], each)),
    })),
  )
}

/** What differs between two lists: items that are new or gone, and the changed fields of the others. */
export function describeItems(
  field: string,
  [before, after]: readonly [unknown, unknown],
  { key, fields, nameOf, summary }: ItemList,
  describe: Describe,
): readonly FieldChange[] {
  const [old, fresh] = [byKey(before, key), byKey(after, key)]
  const textOf = describeValueOf(field, describe)
  const summaryOf = (item: Item | undefined): string | undefined => {
    if (!item) return undefined
    const shown = fields.filter(({ name }) => summary.includes(name))
    const texts = shown.map((each) => textOf(item, each)).filter(Boolean)
    return texts.length > 0 ? texts.join(', ') : '–'
  }
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((id): FieldChange[] => {
    const [earlier, later] = [old.get(id), fresh.get(id)]
    const label = nameOf(id)
    if (!earlier || !later) {
      return [{ key: `${field} ${id}`, label, before: summaryOf(earlier), after: summaryOf(later) }]
    }
    return fields.map((each) => ({
      key: `${field} ${id} ${each.name}`,
      label: summary.includes(each.name) ? label : `${label} · ${each.label}`,
      before: textOf(earlier, each),
      after: textOf(later, each),
    }))
  })
}
