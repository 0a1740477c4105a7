import { SourceError } from '../../domain/sources/source-error.ts'
import type {
  ReportedServer,
  Source,
  SourceContext,
  SourceSettings,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import { childrenOf } from '../shared/parse-xml.ts'
import { acquireConnection, type Connection } from './connection.ts'
import { compareIds } from './identities.ts'
import { listRefs } from './property-collector.ts'
import { readMachines } from './read-machines.ts'
import { scanMachines } from './scan.ts'
import { escapeXml, refOf, type ObjectRef } from './soap.ts'
import { watchMachines } from './watch.ts'

/** All virtual machines with a UUID: the ones that vSphere finds, and those found earlier. */
async function findByUuid(
  { session, identities }: Connection,
  uuid: string,
  signal: AbortSignal,
): Promise<readonly ObjectRef[]> {
  const api = session.until(signal)
  const parameters = `<uuid>${escapeXml(uuid)}</uuid><vmSearch>true</vmSearch><instanceUuid>true</instanceUuid>`
  const response = await api.run(() =>
    api.call('FindAllByUuid', api.manager('searchIndex'), parameters),
  )
  const found = childrenOf(response, 'returnval').flatMap((element) => refOf(element)?.id ?? [])
  return [...new Set([...found, ...identities.withUuid(uuid)])]
    .sort(compareIds)
    .map((id) => ({ type: 'VirtualMachine', id }))
}

/**
 * Reads one virtual machine; undefined if it is gone. That vSphere finds nothing is not enough: with too few
 * permissions it finds none. So another virtual machine must still be visible.
 */
async function getMachine(
  connection: Connection,
  externalId: string,
  signal: AbortSignal,
): Promise<ReportedServer | UnreadableServer | undefined> {
  const { session, identities } = connection
  const [uuid = ''] = externalId.split('/')
  const refs = await findByUuid(connection, uuid, signal)
  const { present, unreadable, gone } = await readMachines(connection, refs, signal)
  const ids = identities.withUuid(uuid)
  const key = ids.map((id) => identities.of(id)).find((one) => one.externalId === externalId)?.key
  const server = [...present, ...unreadable].find((one) => one.key.join() === key?.join())
  if (server || gone.length > 0) return server
  const others = await listRefs(session.until(signal), ['VirtualMachine'])
  if (others.some(({ id }) => !ids.includes(id))) return undefined
  throw new SourceError(
    'incomplete',
    `${session.host} returned neither ${externalId} nor any other virtual machine. The next sync decides whether it is gone.`,
  )
}

/** Logs in to a vCenter or an ESXi host. */
export async function openVSphere(
  settings: SourceSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<Source> {
  const { connection, release } = await acquireConnection(settings, context, signal)
  const { host, title } = connection.session
  return {
    title: `${title} at ${host}`,
    scan: (stop) => scanMachines(connection, stop),
    watch: (stop) => watchMachines(connection, context.timeLimit, stop),
    get: ({ externalId }, stop) => getMachine(connection, externalId, stop),
    close: release,
  }
}
