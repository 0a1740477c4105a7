import { chunk } from '../../domain/chunk.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type {
  Source,
  ScanPage,
  SourceSettings,
  SourceContext,
  UnreadableServer,
} from '../../domain/sources/source.ts'
import { unreadableServer } from '../../domain/sources/unreadable-server.ts'
import { createCalls, type Calls } from './calls.ts'
import type { Host } from './host.ts'
import { readAllHostResources, readHostResources } from './host-resources.ts'
import { transientOnly } from './protocol.ts'
import { toUpdate, type DomainReader } from './read-domains.ts'
import { LibvirtError, uuidForm } from './records.ts'
import { acquireConnection } from './shared-connection.ts'
import { toResources } from './to-resources.ts'
import { keyOf } from './to-server.ts'
import { watchDomains } from './watch.ts'

const domainsInPage = 64

async function* scanDomains(
  calls: Calls,
  reader: DomainReader,
  host: Host,
  address: string,
): AsyncGenerator<ScanPage> {
  const [domains, transient, { hostResources, active, failures }] = await Promise.all([
    calls.domains(),
    calls.domains(transientOnly),
    readAllHostResources(calls),
  ])
  if (new Set(domains.map(({ uuid }) => uuid)).size !== domains.length) {
    throw new SourceError('invalid-response', 'libvirt listed the same domain twice.')
  }
  const read = reader.begin(calls, failures)
  const unreadable: UnreadableServer[] = []
  const errors: LibvirtError[] = []
  const passing = new Set(transient.map(({ uuid }) => uuid))
  for (const page of chunk(domains, domainsInPage)) {
    const found = await read(page, hostResources, async ({ uuid }) => passing.has(uuid))
    // A domain that disappears during the scan counts as gone only if the next scan does not list it.
    yield { ...toUpdate(found), gone: [] }
    for (const { domain, server: error } of found) {
      if (!(error instanceof LibvirtError)) continue
      errors.push(error)
      unreadable.push(unreadableServer(keyOf(reader.group, domain.uuid), domain.name, error))
    }
  }
  // If the call fails for all domains, it says nothing about any of them.
  const [error] = errors
  if (error && errors.length > 1 && errors.length === domains.length) throw error
  const resources = toResources(host, address, hostResources.networks, active)
  const failed = failures.map((cause) => ({ region: '', error: cause, hasServers: true }))
  yield { present: [], gone: [], unreadable, resources, failed }
}

/** Opens a read-only connection to a libvirt daemon. */
export async function openLibvirt(
  settings: SourceSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<Source> {
  const { connection, release } = await acquireConnection(settings, context, signal)
  const { client, host, reader } = connection
  const callsUntil = (signal: AbortSignal) => createCalls(client, signal, context.throttle)

  return {
    title: `libvirt ${host.version} on ${host.name}`,
    scan: (signal) => scanDomains(callsUntil(signal), reader, host, settings.address),
    watch: (signal) =>
      watchDomains(
        { client, reader, calls: callsUntil(signal), heartbeat: context.timeLimit },
        signal,
      ),

    async get({ externalId }, signal) {
      if (!uuidForm.test(externalId)) return undefined
      const calls = callsUntil(signal)
      const domain = await calls.domainByUuid(externalId)
      if (!domain) return undefined
      // Read first, because a call that has ended shows its result.
      const isBusy = await calls.isBusy(domain)
      const read = reader.begin(calls)
      const resources = await readHostResources(calls)
      const [found] = await read([domain], resources, calls.isTransient)
      const server = found?.server
      if (server instanceof LibvirtError) throw server
      return server && 'facts' in server && isBusy !== undefined ? { ...server, isBusy } : server
    },

    close: release,
  }
}
