import { SourceError } from '../../domain/sources/source-error.ts'
import { objectOf, textOf, type Json } from '../shared/json.ts'
import { isName } from './names.ts'

type Texts = Readonly<Record<string, string>>

/** What Muster uses of an instance. The rest is dropped at once: lists are long. */
export interface Instance {
  readonly project: string
  readonly name: string
  readonly uuid: string
  readonly isVirtualMachine: boolean
  readonly status: string
  /** The cluster member; `none` without a cluster. */
  readonly location: string
  readonly architecture: string
  readonly description: string
  readonly createdAt: string
  readonly lastUsedAt: string
  readonly isEphemeral: boolean
  readonly profiles: readonly string[]
  /** With the profiles' entries. */
  readonly config: Texts
  /** With the profiles' devices, in the order of their names. */
  readonly devices: readonly (readonly [name: string, device: Texts])[]
}

/** An instance that is too large, or of an unreachable cluster member. Only these fields are known. */
export interface UnreadInstance {
  readonly project: string
  readonly name: string
  readonly location: string
  /** Why it cannot be read, unless the cluster member does not respond. */
  readonly problem?: string
}

/** Identifies an instance at one time. Renaming changes it. */
export const pathOf = ({ project, name }: Pick<Instance, 'project' | 'name'>): string =>
  `${project}/${name}`

/** The ranges of user ids are long, and Muster does not use them. */
const unused = /^volatile\.(?:idmap|last_state)\./

/** Entries that become tags. Muster stores 256, and one more tells that some are cut. */
const maxUserEntries = 257

function textsOf(json: Json, isUsed: (name: string) => boolean): Texts {
  return Object.fromEntries(
    Object.entries(json).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && isUsed(entry[0]),
    ),
  )
}

const byName = new Intl.Collator('en', { numeric: true })

/** An instance without configuration could not be read by the daemon. */
export function readInstance(json: Json, project: string): Instance | UnreadInstance {
  const where = { project, name: textOf(json, 'name'), location: textOf(json, 'location') }
  if (!isName(where.name)) {
    throw new SourceError('invalid-response', `An instance of the project ${project} has no name.`)
  }
  if (json['config'] === null || json['config'] === undefined) return where
  let userEntries = 0
  const isKept = (name: string) => !name.startsWith('user.') || (userEntries += 1) <= maxUserEntries
  const config = textsOf(
    objectOf(json, 'expanded_config'),
    (name) => !unused.test(name) && isKept(name),
  )
  const devices = objectOf(json, 'expanded_devices')
  const { profiles } = json
  return {
    ...where,
    uuid: config['volatile.uuid'] ?? '',
    isVirtualMachine: textOf(json, 'type') === 'virtual-machine',
    status: textOf(json, 'status'),
    architecture: textOf(json, 'architecture'),
    description: textOf(json, 'description'),
    createdAt: textOf(json, 'created_at'),
    lastUsedAt: textOf(json, 'last_used_at'),
    isEphemeral: json['ephemeral'] === true,
    profiles: Array.isArray(profiles) ? profiles.map(String) : [],
    config,
    devices: Object.keys(devices)
      .sort(byName.compare)
      .map((name) => [name, textsOf(objectOf(devices, name), () => true)]),
  }
}
