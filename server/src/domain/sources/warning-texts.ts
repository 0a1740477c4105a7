import { timestamp } from '../timestamp.ts'
import type { SyncWarning } from './account.ts'
import { limitText } from './limit-facts.ts'
import type { Scanned } from './scan-account.ts'
import type { FailedPart, Forbidden, UnreadableServer } from './source.ts'
import { serverIdOf } from './to-server-facts.ts'

/** How many servers a warning names; the others are only counted. */
const maxNamed = 3
const maxNamedParts = 10
const longestName = 128
const longestReason = 300

const shorten = (text: string, most: number) => {
  const bounded = limitText(text)
  return bounded.length > most ? `${bounded.slice(0, most - 1)}…`.toWellFormed() : bounded
}

const serversOf = (count: number) => (count === 1 ? '1 server' : `${count} servers`)

const listOf = (items: readonly string[], count = items.length, most = maxNamed) => {
  const rest = count - Math.min(items.length, most)
  return [...items.slice(0, most), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ')
}

export interface Unreadable {
  readonly name: string
  readonly reason: string
}

export function unreadableWarning(servers: readonly Unreadable[]): readonly SyncWarning[] {
  const count = servers.length
  if (count === 0) return []
  const named = servers
    .filter(({ name }) => name !== '')
    .slice(0, maxNamed)
    .map(({ name, reason }) => `${shorten(name, longestName)}: ${shorten(reason, longestReason)}`)
  const text = `${serversOf(count)} could not be read: ${listOf(named, count)}`
  return [{ kind: 'unreadable', text, count, until: null }]
}

/** Servers, hosts and networks of which the source sends more than Muster stores. */
export function cutWarning(names: readonly string[]): readonly SyncWarning[] {
  const count = names.length
  if (count === 0) return []
  const named = names.filter((name) => name !== '').map((name) => shorten(name, longestName))
  const what = count === 1 ? '1 server, host or network' : `${count} servers, hosts or networks`
  const text = `The source sends more about ${what} than Muster stores, so texts, tags or lists are cut: ${listOf(named, count)}`
  return [{ kind: 'cut', text, count, until: null }]
}

/** Servers that were not deleted although their time in the recycle bin is over. */
export function recycledWarning(servers: readonly Unreadable[]): readonly SyncWarning[] {
  const count = servers.length
  if (count === 0) return []
  const named = servers.map(
    ({ name, reason }) => `${shorten(name, longestName)}: ${shorten(reason, longestReason)}`,
  )
  const text = `${serversOf(count)} ${count === 1 ? 'stays' : 'stay'} in the recycle bin although the time is over: ${listOf(named)}`
  return [{ kind: 'recycled', text, count, until: null }]
}

/** The time is null while no complete scan has confirmed that they are missing. */
export function missingWarning(count: number, until: number | null): readonly SyncWarning[] {
  if (count === 0) return []
  const [they, are] = count === 1 ? ['It', 'is'] : ['They', 'are']
  const when =
    until === null
      ? `${they} ${are} not removed until a complete sync succeeds again.`
      : `${they} ${are} removed at ${timestamp(until)} unless ${they.toLowerCase()} return${count === 1 ? 's' : ''}, or at once when you confirm.`
  const text = `${serversOf(count)} ${are} suddenly missing from the source and shown as unknown. ${when}`
  return [{ kind: 'missing', text, count, until }]
}

export interface Duplicate {
  readonly name: string
  readonly otherName: string
  readonly otherAccount: string
}

export function duplicateWarning(
  account: string,
  duplicates: readonly Duplicate[],
): readonly SyncWarning[] {
  const count = duplicates.length
  if (count === 0) return []
  const describe = (name: string, holder: string) =>
    `${shorten(name, longestName)} of account ${shorten(holder, longestName)}`
  const pairs = duplicates.map(
    ({ name, otherName, otherAccount }) =>
      `${describe(name, account)} and ${describe(otherName, otherAccount)}`,
  )
  const text = `${serversOf(count)} ${count === 1 ? 'runs' : 'run'} on two hosts at once under one UUID: ${listOf(pairs)}. Stop one of each pair, or give one another UUID.`
  return [{ kind: 'duplicate', text, count, until: null }]
}

/** How many servers another account reports as well. */
export interface Shared {
  readonly account: string
  readonly servers: number
}

export function sharedWarning(shared: readonly Shared[]): readonly SyncWarning[] {
  if (shared.length === 0) return []
  const count = shared.reduce((sum, { servers }) => sum + servers, 0)
  const named = shared.map(
    ({ account, servers }) =>
      `${serversOf(servers)} by the account ${shorten(account, longestName)}`,
  )
  const text = `Servers of this account are reported by other accounts as well: ${listOf(named)}. Each belongs to the account that recorded it first, until that account no longer has it or a system administrator claims it.`
  return [{ kind: 'shared', text, count, until: null }]
}

export function forbiddenWarning(forbidden: readonly Forbidden[]): readonly SyncWarning[] {
  if (forbidden.length === 0) return []
  const count = forbidden.reduce((sum, { servers }) => sum + servers, 0)
  const permissions = [...new Set(forbidden.map(({ permission }) => permission))].sort()
  const text = `Details of ${serversOf(count)} or of their hosts are unknown, because the credentials lack a permission: ${permissions.join(', ')}.`
  return [{ kind: 'forbidden', text, count, until: null }]
}

export const unreadableById = (servers: readonly UnreadableServer[]) =>
  new Map(servers.map((server) => [serverIdOf(server), server]))

function failureText({ region, tenant = '', error }: FailedPart): string {
  const places = [
    ...(region === '' ? [] : [`Region ${shorten(region, longestName)}`]),
    ...(tenant === '' ? [] : [`project ${shorten(tenant, longestName)}`]),
  ]
  const place = places.length === 0 ? '' : `${places.join(', ')}: `
  const call = error.call === '' ? '' : `${error.call} failed: `
  return `${place}${call}${shorten(error.message, longestReason)}`
}

/** Regions, or services of regions, that failed while the others work. It makes the account `degraded`. */
export function regionWarning({
  failed,
  unreadServers,
}: Pick<Scanned, 'failed' | 'unreadServers'>): readonly SyncWarning[] {
  if (failed.length === 0) return []
  const texts = [...new Set(failed.map(failureText))]
  const text = limitText(listOf(texts, texts.length, maxNamedParts))
  return [{ kind: 'region', text, count: unreadServers, until: null }]
}

/** Servers that the source has, although its list lacks them. */
export function incompleteWarning(names: readonly string[]): readonly SyncWarning[] {
  const count = names.length
  if (count === 0) return []
  const [exist, them] = count === 1 ? ['exists', 'it'] : ['exist', 'them']
  const text = `The list of the source is incomplete: ${serversOf(count)} ${exist} although it lacks ${them}: ${listOf(names.map((name) => shorten(name, longestName)))}`
  return [{ kind: 'incomplete', text, count, until: null }]
}
