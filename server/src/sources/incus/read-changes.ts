import { isDeepStrictEqual } from 'node:util'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ServerKey, SourceUpdate, UnreadableServer } from '../../domain/sources/source.ts'
import { unreadableServer } from '../../domain/sources/unreadable-server.ts'
import { TransientError } from '../shared/status-error.ts'
import type { Connection } from './connection.ts'
import type { Instance } from './instance.ts'
import { findInstance } from './list-instances.ts'
import { readServers } from './read-servers.ts'

/**
 * Reads the instances at these paths as they are now. A key that none of them has any more is gone:
 * a renamed instance keeps its key at another path.
 */
export async function readChanges(
  connection: Connection,
  paths: readonly string[],
  /** Called with a path that the daemon fails to read, and its error. It may throw. */
  onFailure: (path: string, error: unknown) => void,
): Promise<SourceUpdate> {
  const { api, memory } = connection
  const { index } = memory
  const keysBefore = new Map<string, ServerKey>()
  const found = new Map<string, Instance>()
  const unreadable: UnreadableServer[] = []
  const failing: ServerKey[] = []
  /** A daemon that fails says nothing about an instance. */
  const noteFailure = (path: string, error: unknown) => {
    onFailure(path, error)
    failing.push(index.keyOf(path))
  }
  /** Grows by instances that share a UUID with a changed one, because their keys may change too. */
  const queue = new Set(paths)
  const addSiblings = (uuid: string | undefined) => {
    for (const path of index.pathsOf(uuid ?? '')) {
      if (!keysBefore.has(path)) keysBefore.set(path, index.keyOf(path))
      queue.add(path)
    }
  }

  for (const path of queue) {
    const before = index.uuidOf(path)
    if (before !== undefined && !keysBefore.has(path)) keysBefore.set(path, index.keyOf(path))
    addSiblings(before)
    const [project = '', name = ''] = path.split('/')
    try {
      const instance = await findInstance(api, project, name)
      if (instance && !('config' in instance)) throw memberDown(instance.location)
      addSiblings(instance?.uuid)
      index.update(path, instance?.uuid)
      if (instance) found.set(path, instance)
    } catch (error) {
      if (error instanceof TransientError) {
        noteFailure(path, error)
        continue
      }
      const isOfInstance =
        error instanceof SourceError && ['failed', 'forbidden'].includes(error.kind)
      if (!isOfInstance) throw error
      // LXD 5.0 also sends events of projects that the certificate may not see.
      if (before !== undefined) unreadable.push(unreadableServer(index.keyOf(path), name, error))
    }
  }

  const read = await readServers(connection, [...found.values()], 0)
  const failed = [...unreadable, ...(read.unreadable ?? [])]
  const remaining = [...[...read.present, ...failed].map(({ key }) => key), ...failing]
  const gone = [...keysBefore.values()].filter(
    (key) => !remaining.some((other) => isDeepStrictEqual(key, other)),
  )
  return { present: read.present, gone, unreadable: failed }
}

export const memberDown = (location: string) =>
  new SourceError('failed', `The cluster member ${location} does not respond.`)
