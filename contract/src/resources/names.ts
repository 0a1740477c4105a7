export { batchStatuses, serverStatuses, taskStatuses } from '../statuses.ts'

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

const names = <
  const Key extends string,
  const Keys extends string,
  const Noun extends string,
  const Nouns extends string,
>(
  key: Key,
  keys: Keys,
  noun: Noun,
  nouns: Nouns,
  one: string,
  many: string,
) => ({ key, keys, noun, nouns, one, many }) as const satisfies ResourceNames

/** The names of a resource whose plural ends in `s`. */
const regularNames = <const Key extends string>(key: Key) => {
  const noun = (key.charAt(0).toUpperCase() + key.slice(1)) as Capitalize<Key>
  const one = `${/^[aeio]/.test(key) ? 'an' : 'a'} ${key}`
  return names(key, `${key}s`, noun, `${noun}s`, one, `${key}s`)
}

/**
 * The resources of the inventory besides servers, in the order of the console. Their names are apart from
 * their descriptions, because browsers need them without the schemas.
 */
export const inventoryNames = {
  hosts: regularNames('host'),
  networks: regularNames('network'),
  disks: regularNames('disk'),
  images: regularNames('image'),
  flavors: regularNames('flavor'),
  cloudregions: names(
    'cloudregion',
    'cloudregions',
    'CloudRegion',
    'CloudRegions',
    'a region',
    'regions',
  ),
  zones: regularNames('zone'),
  cloudproviders: names(
    'cloudprovider',
    'cloudproviders',
    'Manager',
    'Managers',
    'a manager',
    'managers',
  ),
}

/**
 * The administered resources, in the order of the console. A kind comes after those that its foreign keys
 * refer to, so that a backup is restored in this order; domains are restored first.
 */
export const administrationNames = {
  projects: regularNames('project'),
  users: regularNames('user'),
  groups: regularNames('group'),
  roles: regularNames('role'),
  policies: names('policy', 'policies', 'Policy', 'Policies', 'a policy', 'policies'),
  domains: regularNames('domain'),
  identity_providers: names(
    'identity_provider',
    'identity_providers',
    'IdentityProvider',
    'IdentityProviders',
    'an identity provider',
    'identity providers',
  ),
  credentials: names(
    'credential',
    'credentials',
    'Credential',
    'Credentials',
    'an access key',
    'access keys',
  ),
}

type Inventory = typeof inventoryNames
export type InventoryKind = keyof Inventory

export const inventoryKinds = Object.keys(inventoryNames) as InventoryKind[]

type Administration = typeof administrationNames
export type AdministeredKind = keyof Administration
export type AdministeredKey = Administration[AdministeredKind]['key']

export const administeredKinds = Object.keys(administrationNames) as AdministeredKind[]

/** The console shows them with the users that they belong to, or not at all. */
const withoutPage = ['credentials'] as const
export type PageKind = Exclude<AdministeredKind, (typeof withoutPage)[number]>

/** The kinds with a page of their own in the console. */
export const pageKinds = administeredKinds.filter(
  (kind): kind is PageKind => !withoutPage.some((each) => each === kind),
)

type InventoryRoutes<Names extends ResourceNames> = {
  readonly [List in `list${Names['nouns']}`]: `GET /${Names['keys']}`
} & {
  readonly [Get in `get${Names['noun']}`]: `GET /${Names['keys']}/{id}`
}

type AdministrationRoutes<Names extends ResourceNames> = {
  readonly [Action in `list${Names['nouns']}`]: `GET /v3/${Names['keys']}`
} & {
  readonly [Action in `get${Names['noun']}`]: `GET /v3/${Names['keys']}/{id}`
} & {
  readonly [Action in `create${Names['noun']}`]: `POST /v3/${Names['keys']}`
} & {
  readonly [Action in `update${Names['noun']}`]: `PUT /v3/${Names['keys']}/{id}`
} & {
  readonly [Action in `delete${Names['noun']}`]: `DELETE /v3/${Names['keys']}/{id}`
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
) as All<{ [Kind in InventoryKind]: InventoryRoutes<Inventory[Kind]> }[InventoryKind]>

export const administrationRoutes = Object.fromEntries(
  Object.values(administrationNames).flatMap(({ keys, noun, nouns }) => [
    [`list${nouns}`, `GET /v3/${keys}`],
    [`get${noun}`, `GET /v3/${keys}/{id}`],
    [`create${noun}`, `POST /v3/${keys}`],
    [`update${noun}`, `PUT /v3/${keys}/{id}`],
    [`delete${noun}`, `DELETE /v3/${keys}/{id}`],
  ]),
) as All<
  { [Kind in AdministeredKind]: AdministrationRoutes<Administration[Kind]> }[AdministeredKind]
>
