import { isDeepStrictEqual } from 'node:util'
import { UnconfirmedAbsence, SourceError } from '../../domain/sources/source-error.ts'
import type {
  ReportedServer,
  ServerReference,
  Source,
  SourceContext,
  SourceSettings,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import { findReported } from '../shared/find-reported.ts'
import { acquireConnection, type Connection } from './connection.ts'
import { findByUuid, uuidOfServer } from './find-by-uuid.ts'
import { compareIds } from './identities.ts'
import { readMachines } from './read-machines.ts'
import { scanMachines } from './scan.ts'
import { hasEnded } from './soap.ts'
import { watchMachines } from './watch.ts'

/** All virtual machines with a UUID: the ones that vSphere finds, and those found earlier. */
async function findKnown(
  { session, identities }: Connection,
  uuid: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = await findByUuid(session.until(signal), uuid)
  return [...found.map(({ id }) => id), ...identities.withUuid(uuid)]
}

/**
 * Reads virtual machines; undefined for those that are gone. That vSphere finds none by the UUID is not enough: it
 * finds none that the user may not see. It must say that none has the id that the server had.
 */
export async function getMachines(
  connection: Connection,
  references: readonly Pick<ServerReference, 'externalId' | 'name' | 'notes'>[],
  signal: AbortSignal,
): Promise<readonly (ReportedServer | UnreadableServer | undefined)[]> {
  const { session, identities } = connection
  const wanted = references.map(({ externalId, name, notes }) => {
    const uuid = uuidOfServer(externalId)
    return { externalId, name, uuid, id: notes['managed_object_id'] ?? '' }
  })
  const uuids = new Set(wanted.map(({ uuid }) => uuid))
  const found = await Promise.all([...uuids].map((uuid) => findKnown(connection, uuid, signal)))
  const ids = new Set([...found.flat(), ...wanted.map(({ id }) => id)].filter((id) => id !== ''))
  const refs = [...ids].sort(compareIds).map((id) => ({ type: 'VirtualMachine', id }))
  const update = await readMachines(connection, refs, signal)

  return wanted.map(({ externalId, name, uuid, id }) => {
    const key = identities.keyOf(externalId)
    const server = findReported(update, key)
    if (server || update.gone.some(([, , gone]) => gone === uuid || gone === id)) return server
    // Without its UUID. This login has not read it before.
    const hidden = update.unreadable.find((other) =>
      isDeepStrictEqual(other.key, identities.keyOf(id)),
    )
    if (hidden) return { ...hidden, key, name }
    // The id belongs to a virtual machine with another UUID.
    if (id !== '') return undefined
    throw new UnconfirmedAbsence(
      `${session.host} does not find ${externalId}. It may be hidden from the user. The next syncs decide whether it is gone.`,
    )
  })
}

/** Logs in to a vCenter or an ESXi host. */
export async function openVSphere(
  settings: SourceSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<Source> {
  let current = await acquireConnection(settings, context, signal)
  let renewal: Promise<void> | undefined
  const { host, title } = current.connection.session

  async function renew(stop: AbortSignal): Promise<void> {
    await current.release()
    current = await acquireConnection(settings, context, stop)
  }

  /**
   * Yields what the work yields. If the session ends before it has yielded anything, it begins again, with a new
   * login. It never continues with one, because the address may lead to another vCenter by then.
   */
  async function* withLogin<Item>(
    work: (connection: Connection) => AsyncIterable<Item>,
    stop: AbortSignal,
  ): AsyncGenerator<Item> {
    for (let attempt = 1; ; attempt += 1) {
      const { connection } = current
      let hasYielded = false
      try {
        for await (const item of work(connection)) {
          hasYielded = true
          yield item
        }
        return
      } catch (error) {
        if (!hasEnded(error)) throw error
        connection.session.end()
        if (hasYielded) throw new SourceError('incomplete', `${host} has ended the session.`)
        if (attempt === 2) throw error
        // Concurrent requests share one new login.
        if (current.connection === connection)
          await (renewal ??= renew(stop).finally(() => (renewal = undefined)))
      }
    }
  }

  const getMany: NonNullable<Source['getMany']> = async (references, stop) => {
    const found = withLogin(async function* read(connection) {
      yield await getMachines(connection, references, stop)
    }, stop)
    return (await found.next()).value ?? []
  }

  return {
    title: `${title} at ${host}`,
    scan: (stop) => withLogin((connection) => scanMachines(connection, stop), stop),
    watch: (stop) =>
      withLogin((connection) => watchMachines(connection, context.timeLimit, stop), stop),
    get: async (reference, stop) => (await getMany([reference], stop))[0],
    getMany,
    close: () => current.release(),
  }
}
