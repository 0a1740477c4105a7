import { Server, type ScopeParameter, type ServerComparison } from '@muster/contract'
import { badField } from '../../error.ts'
import type { Caller } from '../../identity/caller.ts'
import { callerFields } from '../fields.ts'
import type { GetServer } from '../get-server.ts'

const most = 5

/** What tells the servers apart, what depends on the caller, and what is compared tag by tag. */
const left: ReadonlySet<string> = new Set<keyof Server>([
  'id',
  'metadata',
  ...callerFields.filter((name) => name.startsWith('can_') || name.endsWith('_fail_reason')),
])
const fields = (Object.keys(Server.properties) as (keyof Server)[]).filter(
  (name) => !left.has(name),
)

/** The ids, which can be in one parameter or in several. */
function readIds(texts: readonly string[]): readonly string[] {
  const ids = texts.flatMap((text) => text.split(',')).filter((id) => id !== '')
  if (new Set(ids).size !== ids.length) throw badField('ids', 'has an id twice')
  if (ids.length < 2 || ids.length > most) {
    throw badField('ids', `must be the ids of 2 to ${most} servers`)
  }
  return ids
}

function compare(field: string, values: readonly unknown[]) {
  const texts = values.map((value) => JSON.stringify(value))
  return { field, values: [...values], differs: new Set(texts).size > 1 }
}

/** Compares servers field by field. Those that differ come first. */
export async function compareServers(
  getServer: GetServer,
  caller: Caller,
  texts: readonly string[],
  scope: ScopeParameter | undefined,
): Promise<ServerComparison> {
  const servers: Server[] = []
  for (const id of readIds(texts)) {
    const { body } = await getServer(caller, id, scope)
    servers.push((JSON.parse(body.toString()) as { server: Server }).server)
  }
  if (new Set(servers.map(({ id }) => id)).size !== servers.length) {
    throw badField('ids', 'has a server twice')
  }
  const tags = new Set(servers.flatMap(({ metadata }) => Object.keys(metadata)))
  const compared = [
    ...fields.map((field) =>
      compare(
        field,
        servers.map((server) => server[field] ?? null),
      ),
    ),
    ...[...tags].toSorted().map((key) =>
      compare(
        key,
        servers.map(({ metadata }) => metadata[key] ?? null),
      ),
    ),
  ]
  return {
    servers: servers.map(({ id, name }) => ({ id, name })),
    fields: compared.toSorted((a, b) => Number(b.differs) - Number(a.differs)),
  }
}
