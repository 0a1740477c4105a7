import assert from 'node:assert/strict'
import type { Server } from '@muster/contract'
import { ask } from '../client.ts'
import type { ContractClient } from '../contract-client.ts'
import type { InventoryWorld } from './start-inventory-world.ts'
import type { ModelProject } from './stored-servers.ts'

/** A caller with a contract client and a token. */
type Caller = ContractClient & { readonly token: string }

export interface ListedServers {
  readonly limit: number
  readonly offset: number
  readonly servers: readonly Partial<Server>[]
  readonly total: number
}

/** A page, checked against the contract. */
export const listServers = (caller: Caller, query = ''): Promise<ListedServers> =>
  caller.get<ListedServers>('listServers', { query })

/** The same with status, headers and text. */
export const askServers = (
  url: string,
  { token }: Caller,
  query = '',
  headers: Readonly<Record<string, string>> = {},
) => ask<ListedServers>(url, `/servers${query === '' ? '' : `?${query}`}`, { token, headers })

export async function showServer(caller: Caller, id: string): Promise<Server> {
  const { server } = await caller.get<{ server: Server }>('getServer', { path: { id } })
  return server
}

export const namesOf = ({ servers }: Pick<ListedServers, 'servers'>) =>
  servers.map(({ name }) => name)

/** The only problem in an error, and its field. */
export async function badParameter(caller: Caller, query: string): Promise<[string, string]> {
  const { fields = [] } = await caller.fail('InputParameterError', 'listServers', { query })
  assert.equal(fields.length, 1, query)
  return [fields[0]?.path ?? '', fields[0]?.problem ?? '']
}

/** The next page in a Link header. */
export function nextIn(headers: Headers): string | undefined {
  const link = headers.get('link')
  if (link === null) return undefined
  const match = /^<([^>]+)>; rel="next"$/.exec(link)
  assert.ok(match?.[1], link)
  return match[1]
}

/** A project of the fleet. The first three are in one domain, and the first caller is in the first. */
export function projectAt(
  { projects }: Pick<InventoryWorld, 'projects'>,
  at: number,
): ModelProject {
  const project = projects[at]
  assert.ok(project, `there is no project ${at}`)
  return project
}
