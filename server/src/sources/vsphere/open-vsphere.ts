import { SourceError } from '../../domain/sources/source-error.ts'
import type {
  ReportedServer,
  Source,
  SourceContext,
  SourceSettings,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import { findReported } from '../shared/find-reported.ts'
import { acquireConnection, type Connection } from './connection.ts'
import { findByUuid, uuidOfServer } from './find-by-uuid.ts'
import { compareIds } from './identities.ts'
import { listRefs } from './property-collector.ts'
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
 * Reads virtual machines; undefined for those that are gone. That vSphere finds nothing is not enough: with too few
 * permissions it finds none. So another virtual machine must still be visible.
 */
async function getMachines(
  connection: Connection,
  externalIds: readonly string[],
  signal: AbortSignal,
): Promise<readonly (ReportedServer | UnreadableServer | undefined)[]> {
  const { session, identities } = connection
  const uuids = new Set(externalIds.map(uuidOfServer))
  const found = await Promise.all([...uuids].map((uuid) => findKnown(connection, uuid, signal)))
  const refs = [...new Set(found.flat())]
    .sort(compareIds)
    .map((id) => ({ type: 'VirtualMachine', id }))
  const update = await readMachines(connection, refs, signal)

  let others: Awaited<ReturnType<typeof listRefs>> | undefined

  async function serverOf(externalId: string) {
    const uuid = uuidOfServer(externalId)
    const ids = identities.withUuid(uuid)
    const key = ids.map((id) => identities.of(id)).find((one) => one.externalId === externalId)?.key
    const server = findReported(update, key)
    if (server || update.gone.some(([, , gone]) => gone === uuid)) return server
    others ??= await listRefs(session.until(signal), ['VirtualMachine'])
    if (others.some(({ id }) => !ids.includes(id))) return undefined
    throw new SourceError(
      'incomplete',
      `${session.host} returned neither ${externalId} nor any other virtual machine. The next sync decides whether it is gone.`,
    )
  }
  const servers = []
  for (const externalId of externalIds) servers.push(await serverOf(externalId))
  return servers
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
    const ids = references.map(({ externalId }) => externalId)
    const found = withLogin(async function* read(connection) {
      yield await getMachines(connection, ids, stop)
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
