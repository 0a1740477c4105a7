import assert from 'node:assert/strict'
import { maxGroupValues, type Server, type ServerStatistics } from '@muster/contract'
import type { ClientResponse } from '../client.ts'
import type { InventoryCaller } from './start-inventory-world.ts'
import { expectList, expectStatistics, withoutReasons, type Expected } from './server-model.ts'
import { queryText, statisticsText, type ServerQuery, type ServerFilter } from './server-query.ts'

interface List {
  readonly limit: number
  readonly offset: number
  readonly servers: readonly Partial<Server>[]
  readonly total: number
}

const ids = (servers: readonly Partial<Server>[]) => servers.map(({ id }) => id)

function assertPage({ body }: ClientResponse<List>, expected: Expected, at: string): void {
  const { servers, ...frame } = body
  const { limit, offset, total } = expected
  assert.deepEqual(ids(servers), ids(expected.servers), at)
  assert.deepEqual(frame, { limit, offset, total }, at)
  assert.deepEqual(servers.map(withoutReasons), expected.servers, at)
}

/**
 * Sends a query as a caller, and compares the response with the model: rows, order, total, keys and values.
 */
export async function askList(
  caller: InventoryCaller,
  servers: readonly Server[],
  serverQuery: ServerQuery,
): Promise<Expected | undefined> {
  const query = queryText(serverQuery)
  const at = `${caller.name}: GET /servers?${query}`
  const expected = expectList(servers, caller, serverQuery)
  const answer = await caller.call<List>('listServers', { query })
  assert.equal(answer.status, expected.status, `${at}\n${answer.text.slice(0, 500)}`)
  if (expected.status !== 200) return undefined
  assertPage(answer, expected, at)
  return expected
}

/** The query of the next page, from the Link header. */
export const nextQuery = ({ headers }: ClientResponse): string | undefined =>
  /^<[^?]*\?(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]

/** Follows the links from the first page of a query to the last, and returns all rows. */
export async function walk(
  caller: InventoryCaller,
  serverQuery: ServerQuery,
  onPage: (page: number) => Promise<void> = async () => {},
): Promise<{ readonly servers: Partial<Server>[]; readonly totals: number[] }> {
  const [servers, totals]: [Partial<Server>[], number[]] = [[], []]
  let query: string | undefined = queryText(serverQuery)
  for (let page = 0; query !== undefined; page += 1) {
    assert.ok(page < 1000, `no end: ${query}`)
    const answer: ClientResponse<List> = await caller.call<List>('listServers', { query })
    assert.equal(answer.status, 200, `${caller.name}: GET /servers?${query}\n${answer.text}`)
    servers.push(...answer.body.servers)
    totals.push(answer.body.total)
    query = nextQuery(answer)
    await onPage(page)
  }
  return { servers, totals }
}

/** The pages that links lead to must add up to the model's list. */
export async function walkList(
  caller: InventoryCaller,
  servers: readonly Server[],
  serverQuery: ServerQuery,
): Promise<void> {
  const expected = expectList(servers, caller, serverQuery)
  if (expected.status !== 200) return
  const at = `${caller.name}: by links from GET /servers?${queryText(serverQuery)}`
  const walked = await walk(caller, serverQuery)
  assert.deepEqual(ids(walked.servers), ids(expected.all.slice(expected.offset)), at)
  assert.ok(
    walked.totals.every((total) => total === expected.total),
    at,
  )
}

/** The order of equal counts is not specified. */
const byValue = (groups: readonly { readonly value: unknown }[]) =>
  groups.toSorted((a, b) => (JSON.stringify(a.value) < JSON.stringify(b.value) ? -1 : 1))

type Groups = readonly { readonly value: unknown; readonly count: number }[]

/** For a group with more values than are listed, checks each listed value and the sum. */
function assertMany(told: Groups, values: Groups, at: string): void {
  const [others, named] = [told.at(-1), told.slice(0, -1)]
  assert.deepEqual([named.length, others?.value], [maxGroupValues, 'other'], at)
  const known = new Set(values.map((group) => JSON.stringify(group)))
  for (const group of named) assert.ok(known.has(JSON.stringify(group)), at)
  const sum = (groups: Groups) => groups.reduce((total, { count }) => total + count, 0)
  assert.equal(sum(told), sum(values), at)
}

function assertGroups(told: Groups, values: Groups, at: string): void {
  const counts = told.filter(({ value }) => value !== 'other').map(({ count }) => count)
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => b - a),
    `${at}: the biggest first`,
  )
  if (values.length > maxGroupValues) assertMany(told, values, at)
  else assert.deepEqual(byValue(told), byValue(values), at)
}

/** The same for statistics. */
export async function askStatistics(
  caller: InventoryCaller,
  servers: readonly Server[],
  serverFilter: ServerFilter,
  groups: readonly string[],
): Promise<void> {
  const query = statisticsText(serverFilter, groups)
  const at = `${caller.name}: GET /servers/statistics?${query}`
  const expected = expectStatistics(servers, caller, serverFilter, groups)
  const answer = await caller.call<ServerStatistics>('getServerStatistics', { query })
  assert.equal(answer.status, expected.status, `${at}\n${answer.text.slice(0, 500)}`)
  if (expected.status !== 200) return
  assert.deepEqual(answer.body.total, expected.total, at)
  assert.deepEqual(Object.keys(answer.body.groups), Object.keys(expected.groups), at)
  for (const [name, values] of Object.entries(expected.groups)) {
    assertGroups(answer.body.groups[name] ?? [], values, `${at}: ${name}`)
  }
}
