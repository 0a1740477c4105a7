import type { ServerKey } from '../../domain/sources/source.ts'

const emptySet: ReadonlySet<string> = new Set()

/**
 * The UUIDs of instances by path. It finds a renamed instance by its UUID, and the UUID of an
 * instance that is deleted or cannot be read.
 */
export class InstanceIndex {
  readonly #uuids = new Map<string, string>()
  readonly #paths = new Map<string, Set<string>>()
  /** The paths that changed during each list that is being read. They are newer than the list. */
  readonly #openLists = new Set<Set<string>>()
  /** The fingerprint of the daemon's or the cluster's certificate. */
  readonly #daemon: string

  constructor(daemon: string) {
    this.#daemon = daemon
  }

  get isEmpty(): boolean {
    return this.#uuids.size === 0
  }

  uuidOf(path: string): string | undefined {
    return this.#uuids.get(path)
  }

  /** More than one where a backup was imported beside the original: both have its UUID. */
  pathsOf(uuid: string): ReadonlySet<string> {
    return this.#paths.get(uuid) ?? emptySet
  }

  /** Records what a single read found: the UUID, or undefined if there is no such instance. */
  update(path: string, uuid: string | undefined): void {
    for (const touched of this.#openLists) touched.add(path)
    if (uuid === undefined) this.#delete(path)
    else this.#set(path, uuid)
  }

  /** Reads a complete list of UUIDs by path, and records what did not change meanwhile. */
  async recordList(read: () => Promise<ReadonlyMap<string, string>>): Promise<void> {
    const touched = new Set<string>()
    this.#openLists.add(touched)
    try {
      const listed = await read()
      for (const path of this.#uuids.keys()) {
        if (!listed.has(path) && !touched.has(path)) this.#delete(path)
      }
      for (const [path, uuid] of listed) if (!touched.has(path)) this.#set(path, uuid)
    } finally {
      this.#openLists.delete(touched)
    }
  }

  #set(path: string, uuid: string): void {
    this.#delete(path)
    this.#uuids.set(path, uuid)
    if (uuid === '') return
    const paths = this.#paths.get(uuid) ?? new Set()
    this.#paths.set(uuid, paths.add(path))
  }

  #delete(path: string): void {
    const uuid = this.#uuids.get(path)
    this.#uuids.delete(path)
    if (uuid === undefined) return
    const paths = this.#paths.get(uuid)
    paths?.delete(path)
    if (paths?.size === 0) this.#paths.delete(uuid)
  }

  /** The path is part of the key only where the UUID does not suffice. */
  keyOf(path: string): ServerKey {
    const uuid = this.#uuids.get(path) ?? ''
    if (uuid === '') return ['incus', this.#daemon, path]
    const [first = path] = [...this.pathsOf(uuid)].sort()
    return first === path ? ['incus', uuid] : ['incus', uuid, path]
  }

  /** The UUID, the path, or both, in the same cases as in the key. */
  externalIdOf(path: string): string {
    const hasUuid = (this.#uuids.get(path) ?? '') !== ''
    return hasUuid ? this.keyOf(path).slice(1).join('/') : path
  }
}

/** The parts of an external id. */
export function readExternalId(id: string): { readonly uuid: string; readonly path: string } {
  const [first = '', ...others] = id.split('/')
  if (others.length === 0) return { uuid: first, path: '' }
  return others.length === 1 ? { uuid: '', path: id } : { uuid: first, path: others.join('/') }
}
