import { SourceError } from '../../domain/sources/source-error.ts'
import type {
  Source,
  SourceNews,
  SourceSettings,
  SourceWorld,
} from '../../domain/sources/source.ts'
import { createCalls } from './calls.ts'
import { connect } from './connect.ts'
import { readHost } from './host.ts'
import { procedures, transientOnly } from './protocol.ts'
import { createDomainReader, type DomainReader } from './read-domains.ts'
import type { RpcClient } from './rpc-client.ts'
import { readSurroundings } from './surroundings.ts'
import { watchDomains } from './watch.ts'

const domainsInPage = 64
const uuidForm = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

async function* scanDomains(
  client: RpcClient,
  reader: DomainReader,
  signal: AbortSignal,
): AsyncGenerator<SourceNews> {
  const calls = createCalls(client, signal)
  const [domains, transient, surroundings] = await Promise.all([
    calls.domains(),
    calls.domains(transientOnly),
    readSurroundings(calls),
  ])
  if (new Set(domains.map(({ uuid }) => uuid)).size !== domains.length) {
    throw new SourceError('garbled', 'It lists the same domain twice.')
  }
  const read = reader.begin(calls)
  const passing = new Set(transient.map(({ uuid }) => uuid))
  for (let start = 0; start < domains.length; start += domainsInPage) {
    const page = domains.slice(start, start + domainsInPage)
    const found = await read(page, surroundings, ({ uuid }) => passing.has(uuid))
    yield { present: found.flatMap(({ server }) => (server ? [server] : [])), gone: [] }
  }
}

/** Opens a line to a libvirt daemon, which it only reads from. */
export async function openLibvirt(
  settings: SourceSettings,
  world: SourceWorld,
  signal: AbortSignal,
): Promise<Source> {
  const { group: given } = settings.options
  const group = typeof given === 'string' && given !== '' ? given : 'default'
  const client = await connect(settings, world, signal)
  const host = await readHost(createCalls(client, signal)).catch((error: unknown) => {
    client.close()
    throw error
  })
  const reader = createDomainReader(host, group, settings.address)

  return {
    title: `libvirt ${host.version} on ${host.name}`,
    scan: (signal) => scanDomains(client, reader, signal),
    watch: (signal) => watchDomains({ client, reader, group, heartbeat: world.timeLimit }, signal),

    async look({ externalId }, signal) {
      if (!uuidForm.test(externalId)) return undefined
      const calls = createCalls(client, signal)
      const domain = await calls.domainByUuid(externalId)
      if (!domain) return undefined
      const [isPersistent, surroundings] = await Promise.all([
        calls.isPersistent(domain),
        readSurroundings(calls),
      ])
      const read = reader.begin(calls)
      const [found] = await read([domain], surroundings, () => isPersistent === false)
      return found?.server
    },

    async close() {
      if (!client.trouble()) {
        await client
          .call({ procedure: procedures.connectClose, read: () => {} }, AbortSignal.timeout(1_000))
          .catch(() => {})
      }
      client.close()
    },
  }
}
