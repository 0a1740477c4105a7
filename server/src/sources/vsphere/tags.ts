import { SourceError } from '../../domain/sources/source-error.ts'
import type { HttpResponse } from '../shared/http-client.ts'
import { parseJson, textOf, type Json } from '../shared/json.ts'
import { withRetries } from '../shared/retry.ts'
import { statusError } from '../shared/status-error.ts'
import { unlessAborted } from '../shared/unless-aborted.ts'
import { closingTime, type Session } from './session.ts'
import type { ObjectRef } from './soap.ts'
import type { VSphereSettings } from './vsphere-settings.ts'

/** Names of tags by category. */
type Tags = ReadonlyMap<string, string>

/** Of one machine. */
export interface MachineTags {
  readonly byCategory: Tags
  /** Whether the vCenter denies some of them. */
  readonly areUnread: boolean
}

export interface TagReader {
  /** The tags of each machine, by its id. Errors other than a denial are thrown. */
  read(machines: readonly ObjectRef[], signal: AbortSignal): Promise<(id: string) => MachineTags>
  close(): Promise<void>
}

export const noTags: MachineTags = { byCategory: new Map(), areUnread: false }

interface Tag {
  readonly category: string
  readonly name: string
}

/** Names of tags and categories seldom change. */
const namesLifetime = 600_000

/** Reads tags. They are not in the SOAP API; a standalone host has none. */
export function createTagReader(
  { http, host, isVCenter }: Session,
  { sdk, user, password }: VSphereSettings,
  clock: () => number,
): TagReader {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const closing = new AbortController()
  let sessionId = ''
  let login: Promise<string> | undefined
  let names = new Map<string, Tag | undefined>()
  let namesSince = 0

  const fail = (what: string) => new SourceError('invalid-response', `${host} ${what}.`)
  const failed = (response: HttpResponse) => statusError(response, { host, action: 'read tags' })

  async function send(
    [method, path, body = '']: readonly [method: string, path: string, body?: string],
    credentials: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const url = new URL(`/rest/com/vmware/cis/${path}`, sdk)
    const headers = { 'content-type': 'application/json', ...credentials }
    const attempt = async () => {
      const response = await http.send({ url, method, headers, body }, signal)
      if ([200, 401, 403, 404].includes(response.status)) return response
      throw failed(response)
    }
    return withRetries(attempt, host, signal)
  }

  const inSession = (id: string) => ({ 'vmware-api-session-id': id })

  async function logIn(): Promise<string> {
    const response = await send(['POST', 'session'], { authorization }, closing.signal)
    if (response.status === 401) throw failed(response)
    if (response.status !== 200) return ''
    sessionId = textOf(parseJson(response.body, host, 'read tags'), 'value')
    if (sessionId === '') throw fail('sent no session for tags')
    return sessionId
  }

  /** The id of a session; empty if it is denied. Concurrent requests share one login. */
  async function requireSession(signal: AbortSignal): Promise<string> {
    if (sessionId !== '') return sessionId
    login ??= logIn().finally(() => (login = undefined))
    return await unlessAborted(login, host, signal)
  }

  /** The value of a response; undefined if it is denied or does not exist. */
  async function request(
    method: string,
    path: string,
    signal: AbortSignal,
    body = '',
  ): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      const used = await requireSession(signal)
      if (used === '') return undefined
      const response = await send([method, path, body], inSession(used), signal)
      if (response.status === 200) {
        const { value } = parseJson(response.body, host, 'read tags')
        if (value === undefined) throw fail('sent no value of tags')
        return value
      }
      if (response.status !== 401) return undefined
      if (attempt === 2) throw failed(response)
      // The session has ended. Another request may have a new one already.
      if (sessionId === used) sessionId = ''
    }
  }

  /** Undefined if it is denied, or if the tag was removed meanwhile. */
  async function readTag(id: string, signal: AbortSignal): Promise<Tag | undefined> {
    const get = (path: string) => request('GET', `tagging/${path}`, signal) as Promise<Json>
    const tag = await get(`tag/id:${encodeURIComponent(id)}`)
    if (tag === undefined) return undefined
    const category = await get(`category/id:${encodeURIComponent(textOf(tag, 'category_id'))}`)
    if (category === undefined) return undefined
    return { name: textOf(tag, 'name'), category: textOf(category, 'name') }
  }

  async function describe(ids: readonly string[], signal: AbortSignal): Promise<MachineTags> {
    const tags: Tag[] = []
    let areUnread = false
    for (const id of ids) {
      if (!names.has(id)) names.set(id, await readTag(id, signal))
      const tag = names.get(id)
      if (!tag) areUnread = true
      else if (tag.category !== '') tags.push(tag)
    }
    const byCategory = [...Map.groupBy(tags, ({ category }) => category)]
    const list = (some: readonly Tag[]) => some.map(({ name }) => name).toSorted()
    return {
      byCategory: new Map(byCategory.map(([category, some]) => [category, list(some).join(', ')])),
      areUnread,
    }
  }

  return {
    async read(machines, signal) {
      if (!isVCenter || machines.length === 0) return () => noTags
      if (clock() - namesSince > namesLifetime) {
        names = new Map()
        namesSince = clock()
      }
      const path = 'tagging/tag-association?~action=list-attached-tags-on-objects'
      const value = await request('POST', path, signal, JSON.stringify({ object_ids: machines }))
      if (value === undefined) return () => ({ ...noTags, areUnread: true })
      const found = new Map<string, MachineTags>()
      // Objects without tags are left out. Without any, the simulator sends null.
      const list = (value ?? []) as readonly {
        object_id?: Json
        tag_ids?: readonly string[] | null
      }[]
      for (const { object_id, tag_ids } of list)
        found.set(textOf(object_id, 'id'), await describe(tag_ids ?? [], signal))
      return (id) => found.get(id) ?? noTags
    },
    async close() {
      closing.abort()
      if (sessionId === '') return
      const signal = AbortSignal.timeout(closingTime)
      await send(['DELETE', 'session'], inSession(sessionId), signal).catch(() => {})
    },
  }
}
