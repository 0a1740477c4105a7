import type { OpenSource } from './open-source.ts'
import type { ServerKeys } from './ports.ts'
import type { ReportedServer, Source, SourceUpdate, UnreadableServer } from './source.ts'
import { serverIdOf } from './to-server-facts.ts'

/**
 * Opens sources that report servers by their current ids. They are read for each page: a server can be
 * taken over while its source is open.
 */
export function withCurrentKeys(openSource: OpenSource, serverKeys: ServerKeys): OpenSource {
  async function translate<Update extends SourceUpdate>(update: Update): Promise<Update> {
    const { present, unreadable = [], gone } = update
    const keys = [...present, ...unreadable].map(({ key }) => key)
    const ids = [...keys, ...gone].map((key) => serverIdOf({ key }))
    const current = ids.length === 0 ? new Map<string, string>() : await serverKeys.find(ids)
    if (current.size === 0) return update
    const currentKey = (key: ReportedServer['key']): ReportedServer['key'] => {
      const found = current.get(serverIdOf({ key }))
      return found === undefined ? key : [found]
    }
    const rename = <Server extends ReportedServer | UnreadableServer>(server: Server): Server => ({
      ...server,
      key: currentKey(server.key),
    })
    return {
      ...update,
      present: present.map(rename),
      ...(update.unreadable && { unreadable: unreadable.map(rename) }),
      gone: gone.map(currentKey),
    }
  }

  async function translateRead(
    servers: readonly (ReportedServer | UnreadableServer | undefined)[],
  ): Promise<readonly (ReportedServer | UnreadableServer | undefined)[]> {
    const ids = servers.flatMap((server) => (server ? serverIdOf(server) : []))
    if (ids.length === 0) return servers
    const current = await serverKeys.find(ids)
    return servers.map((server) => {
      const key = server && current.get(serverIdOf(server))
      return key === undefined || !server ? server : { ...server, key: [key] }
    })
  }

  async function* translateAll<Update extends SourceUpdate>(updates: AsyncIterable<Update>) {
    for await (const update of updates) yield await translate(update)
  }

  function translated(source: Source): Source {
    const { getMany, watch } = source
    return {
      ...source,
      scan: (signal) => translateAll(source.scan(signal)),
      get: async (...given) => (await translateRead([await source.get(...given)]))[0],
      ...(getMany && {
        getMany: async (...given) => await translateRead(await getMany(...given)),
      }),
      ...(watch && { watch: (signal) => translateAll(watch(signal)) }),
    }
  }

  return {
    ...openSource,
    openAccount: async (...given) => translated(await openSource.openAccount(...given)),
  }
}
