/** The words for a resource. */
export interface ResourceNames {
  /** As on the wire: `{"host": …}`, and `/hosts`. */
  readonly key: string
  readonly keys: string
  /** As in operation ids: `getHost`, `listHosts`. */
  readonly noun: string
  readonly nouns: string
  /** As in a sentence: "a host", "hosts". */
  readonly one: string
  readonly many: string
}

/**
 * The resources of the inventory besides servers, in the order of the console. Their names are apart from
 * their descriptions, because browsers need them without the schemas.
 */
export const inventoryNames = {
  hosts: {
    key: 'host',
    keys: 'hosts',
    noun: 'Host',
    nouns: 'Hosts',
    one: 'a host',
    many: 'hosts',
  },
  networks: {
    key: 'network',
    keys: 'networks',
    noun: 'Network',
    nouns: 'Networks',
    one: 'a network',
    many: 'networks',
  },
  disks: {
    key: 'disk',
    keys: 'disks',
    noun: 'Disk',
    nouns: 'Disks',
    one: 'a disk',
    many: 'disks',
  },
  cloudregions: {
    key: 'cloudregion',
    keys: 'cloudregions',
    noun: 'CloudRegion',
    nouns: 'CloudRegions',
    one: 'a region',
    many: 'regions',
  },
  zones: {
    key: 'zone',
    keys: 'zones',
    noun: 'Zone',
    nouns: 'Zones',
    one: 'a zone',
    many: 'zones',
  },
  cloudproviders: {
    key: 'cloudprovider',
    keys: 'cloudproviders',
    noun: 'Manager',
    nouns: 'Managers',
    one: 'a manager',
    many: 'managers',
  },
} as const satisfies Readonly<Record<string, ResourceNames>>

type Names = typeof inventoryNames
export type InventoryKind = keyof Names

export const inventoryKinds = Object.keys(inventoryNames) as InventoryKind[]

type Routes<Kind extends InventoryKind> = {
  readonly [List in `list${Names[Kind]['nouns']}`]: `GET /${Names[Kind]['keys']}`
} & {
  readonly [Get in `get${Names[Kind]['noun']}`]: `GET /${Names[Kind]['keys']}/{id}`
}

type All<Union> = (Union extends unknown ? (value: Union) => void : never) extends (
  value: infer Intersection,
) => void
  ? Intersection
  : never

/** Method and path of each operation on these resources. */
export const inventoryRoutes = Object.fromEntries(
  Object.values(inventoryNames).flatMap(({ keys, noun, nouns }) => [
    [`list${nouns}`, `GET /${keys}`],
    [`get${noun}`, `GET /${keys}/{id}`],
  ]),
) as All<{ [Kind in InventoryKind]: Routes<Kind> }[InventoryKind]>
