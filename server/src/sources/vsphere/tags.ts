import type { SourceContext } from '../../domain/sources/source.ts'
import { parseJson, textOf, type Json } from '../shared/json.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { withRetries } from '../shared/retry.ts'
import { statusError } from '../shared/status-error.ts'
import type { Session } from './session.ts'
import type { ObjectRef } from './soap.ts'
import type { VSphereSettings } from './vsphere-settings.ts'

/** Tags of virtual machines as names by category, by the id of the machine. */
type MachineTags = ReadonlyMap<string, Readonly<Record<string, string>>>

export interface TagReader {
  /** Whether the vCenter does not let the user read tags. */
  isDenied(): boolean
  /** Fails as a whole: without its tags a server would change its project. */
  read(machines: readonly ObjectRef[], signal: AbortSignal): Promise<MachineTags>
  close(): Promise<void>
}

interface Tag {
  readonly category: string
  readonly name: string
}

/** Tags are optional, so this error never leaves the file. */
class Denied extends SourceError {}

const sessionPath = 'com/vmware/cis/session'
const tagging = 'com/vmware/cis/tagging'
/** Names of tags and categories seldom change. */
const namesLifetime = 600_000

/** Reads tags. They are not in the SOAP API; a standalone host has none. */
export function createTagReader(
  session: Session,
  { sdk, user, password }: VSphereSettings,
  { clock }: Pick<SourceContext, 'clock'>,
): TagReader {
  const { http, host, service } = session
  let id = ''
  let names = new Map<string, Promise<Tag>>()
  let namesSince = 0
  let isDenied = false

  const send = (method: string, path: string, body: string, signal: AbortSignal) =>
    withRetries(
      async () => {
        const isLogin = method === 'POST' && path === sessionPath
        const credentials = Buffer.from(`${user}:${password}`).toString('base64')
        const response = await http.send(
          {
            url: new URL(`/rest/${path}`, sdk),
            method,
            headers: {
              'content-type': 'application/json',
              ...(isLogin
                ? { authorization: `Basic ${credentials}` }
                : { 'vmware-api-session-id': id }),
            },
            body,
          },
          signal,
        )
        if (response.status === 403 || response.status === 404) throw new Denied('forbidden', '')
        if (response.status !== 200)
          throw statusError(response, { host, action: 'read tags by the REST API' })
        return parseJson(response.body, host)
      },
      host,
      signal,
    )

  async function login(signal: AbortSignal): Promise<void> {
    id = textOf(await send('POST', sessionPath, '', signal), 'value')
    if (id === '') throw new SourceError('invalid-response', `${host} sent no session for tags.`)
  }

  /** Logs in when needed: the first time, and once after the session has ended. */
  async function request(
    method: string,
    path: string,
    body: string,
    signal: AbortSignal,
  ): Promise<Json> {
    if (id === '') await login(signal)
    try {
      return await send(method, path, body, signal)
    } catch (error) {
      if (!(error instanceof SourceError) || error.kind !== 'credentials') throw error
      await login(signal)
      return await send(method, path, body, signal)
    }
  }

  const get = async (path: string, signal: AbortSignal): Promise<Json> => {
    const { value } = await request('GET', path, '', signal)
    return (value ?? {}) as Json
  }

  async function readTag(tagId: string, signal: AbortSignal): Promise<Tag> {
    const tag = await get(`${tagging}/tag/id:${encodeURIComponent(tagId)}`, signal)
    const categoryId = encodeURIComponent(textOf(tag, 'category_id'))
    const category = await get(`${tagging}/category/id:${categoryId}`, signal)
    const [name, categoryName] = [textOf(tag, 'name'), textOf(category, 'name')]
    if (name === '' || categoryName === '')
      throw new SourceError('invalid-response', `${host} returned a tag without a name.`)
    return { category: categoryName, name }
  }

  function tagOf(tagId: string, signal: AbortSignal): Promise<Tag> {
    const known = names.get(tagId) ?? readTag(tagId, signal)
    names.set(tagId, known)
    known.catch(() => names.delete(tagId))
    return known
  }

  async function namesOf(tagIds: readonly string[], signal: AbortSignal) {
    const byCategory: Record<string, string[]> = {}
    for (const tagId of tagIds) {
      const { category, name } = await tagOf(tagId, signal)
      byCategory[category] = [...(byCategory[category] ?? []), name].sort()
    }
    return Object.fromEntries(
      Object.entries(byCategory).map(([category, tags]) => [category, tags.join(', ')]),
    )
  }

  async function readTags(machines: readonly ObjectRef[], signal: AbortSignal) {
    const found = new Map<string, Readonly<Record<string, string>>>()
    if (!service.isVCenter || machines.length === 0) return found
    if (clock() - namesSince > namesLifetime) {
      names = new Map()
      namesSince = clock()
    }
    const { value } = await request(
      'POST',
      `${tagging}/tag-association?~action=list-attached-tags-on-objects`,
      JSON.stringify({
        object_ids: machines.map(({ type, id: machine }) => ({ type, id: machine })),
      }),
      signal,
    )
    // Objects without tags are left out. Without any, the simulator sends null.
    if (value === undefined)
      throw new SourceError('invalid-response', `${host} returned no list of tags.`)
    for (const entry of (value ?? []) as readonly Json[]) {
      const { object_id, tag_ids } = entry as {
        object_id?: { id?: string }
        tag_ids?: readonly string[]
      }
      found.set(object_id?.id ?? '', await namesOf(tag_ids ?? [], signal))
    }
    return found
  }

  return {
    isDenied: () => isDenied,
    async read(machines, signal) {
      try {
        const found = await readTags(machines, signal)
        isDenied = false
        return found
      } catch (error) {
        if (!(error instanceof Denied)) throw error
        isDenied = true
        return new Map()
      }
    },
    async close() {
      if (id !== '')
        await send('DELETE', sessionPath, '', AbortSignal.timeout(2_000)).catch(() => {})
    },
  }
}
