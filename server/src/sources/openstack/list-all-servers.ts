import { SourceError } from '../../domain/sources/source-error.ts'
import { parseJson, requireList, textOf, type Json } from '../shared/json.ts'
import { listServers, namesDownCells, requestOf, type Compute } from './compute.ts'
import { hasNext } from './service-client.ts'

const isNameless = (server: Json) => typeof server['name'] !== 'string'

const downError = ({ client }: Compute) =>
  new SourceError(
    'incomplete',
    `A cell of Nova in region ${client.region} is down, so the list of servers is not complete.`,
  )

/** Throws if a compute service is in a cell that is down. Only administrators can know. */
async function requireCells(compute: Compute, signal: AbortSignal): Promise<void> {
  const request = requestOf(compute, '/os-services', 'list compute services')
  const { status, body } = await compute.client.send({ ...request, expected: 403 }, signal)
  if (status === 403) return
  const rows = requireList(parseJson(body, compute.client.name), 'services', 'compute services')
  if (rows.some((service) => textOf(service, 'status') === 'UNKNOWN')) throw downError(compute)
}

/**
 * Servers that a list with pages lacks: there, Nova leaves out the cells that are down. Without pages,
 * it lists their servers without names.
 */
async function findLeftOut(
  compute: Compute,
  listed: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly Json[]> {
  if (!namesDownCells(compute)) return []
  const query = compute.seesAllProjects ? '?all_tenants=1' : ''
  const read = async (path: string) => {
    const json = await compute.client.get(
      requestOf(compute, `${path}${query}`, 'list servers'),
      signal,
    )
    const rows = requireList(json, 'servers', 'servers')
    return { json, rows: rows.filter((server) => !listed.has(textOf(server, 'id'))) }
  }
  // The short list first: usually nothing is left out.
  const { json, rows } = await read('/servers')
  if (hasNext(json, 'servers')) {
    // Nova's `max_limit` ends the list. Servers of cells that are down may be missing here too.
    if (rows.some(isNameless)) throw downError(compute)
    if (compute.seesAllProjects) await requireCells(compute, signal)
  }
  return rows.length === 0 ? [] : (await read('/servers/detail')).rows
}

/** Yields all servers, also those of cells that are down. */
export async function* listAllServers(
  compute: Compute,
  signal: AbortSignal,
): AsyncGenerator<readonly Json[]> {
  const listed = new Set<string>()
  for await (const servers of listServers(compute, signal)) {
    for (const server of servers) listed.add(textOf(server, 'id'))
    yield servers
  }
  const leftOut = await findLeftOut(compute, listed, signal)
  if (leftOut.length > 0) yield leftOut
}
