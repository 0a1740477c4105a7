import type { Answer, Auth } from './auth/auth.ts'
import { routes } from './contract.ts'
import type { AnyOperationId, Arguments, ExportId, Item, ListId, Output } from './operations.ts'
import { parseError } from './parse-error.ts'
import { readAnswer, readText } from './read-answer.ts'
import { readLines } from './read-lines.ts'
import { sendOnce, type Repetition } from './repeat.ts'
import { routeOf } from './route.ts'
import { send, type AnyInput, type Connection, type Fetch } from './send.ts'
import { abortable } from './sleep.ts'

/** The query of the next page, from the `links` in the body or the Link header. */
function findNext({ body, headers }: Answer<unknown>): Record<string, string[]> | undefined {
  const { links } = body as { readonly links?: { readonly next?: string | null } }
  const [, linked] = /<([^<>]*)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '') ?? []
  const next = links?.next ?? linked
  if (typeof next !== 'string') return undefined
  // Only the query: the server may know itself by another address.
  const { searchParams } = new URL(next, 'http://here')
  return Object.fromEntries(
    [...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]),
  )
}

/** The items of a page: the only array in its body. */
const itemsOf = (body: unknown): readonly unknown[] =>
  Object.values(body as object).find((value) => Array.isArray(value)) ?? []

export interface PageClientOptions<Login> {
  /** The URL of the API. Default: the origin of the page. */
  readonly url?: string
  /** The URL of the identity API, if it is different. */
  readonly authUrl?: string
  readonly auth?: Auth<Login>
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: Fetch
}

type Operations = {
  readonly [Id in AnyOperationId]: (...args: Arguments<Id>) => Promise<Output<Id>>
}

export interface Client<Login = void> extends Operations {
  /** Calls an operation by id and returns the status and headers too. */
  request<Id extends AnyOperationId>(id: Id, ...args: Arguments<Id>): Promise<Answer<Output<Id>>>
  /** Returns the response without reading it, for exports and large bodies. */
  stream<Id extends AnyOperationId>(id: Id, ...args: Arguments<Id>): Promise<Response>
  /** Iterates over the pages of a list. */
  pages<Id extends ListId>(id: Id, ...args: Arguments<Id>): AsyncGenerator<Output<Id>, void, void>
  /** Iterates over the items of a list. Requests pages as needed. */
  all<Id extends ListId>(id: Id, ...args: Arguments<Id>): AsyncGenerator<Item<Id>, void, void>
  /** Exports a list: iterates over all its items with one request. */
  rows<Id extends ExportId>(id: Id, ...args: Arguments<Id>): AsyncGenerator<Item<Id>, void, void>
  /** Logs in now. Without it, the first call logs in. */
  logIn(): Promise<Login>
  /** Revokes the token or ends the session. */
  logOut(): Promise<void>
}

const noAuth: Auth<void> = {
  prefix: '',
  connect: () => ({
    authenticate: async () => ({}),
    renew: async () => false,
    logIn: async () => {},
    logOut: async () => {},
  }),
}

/** Creates a client with a typed method for each operation of the contract. It repeats only what `repetition` does. */
export function createPageClient<Login = void>(
  options: PageClientOptions<Login> = {},
  { retry, isTransient, prepare }: Repetition = sendOnce,
): Client<Login> {
  const { url = '', authUrl = url, headers = {} } = options
  const auth = options.auth ?? (noAuth as unknown as Auth<Login>)
  const connection: Connection = {
    url: url.replace(/(?<!\/)\/+$/, ''),
    authUrl: authUrl.replace(/(?<!\/)\/+$/, ''),
    prefix: auth.prefix,
    // Looked up at each call, so that a replaced global `fetch` is used.
    fetch: options.fetch ?? ((address, init) => globalThis.fetch(address, init)),
    headers,
  }
  const login = auth.connect({
    authHost: authUrl === '' ? '' : new URL(authUrl).host,
    call: async (id, ...given) => {
      const [input = {}] = given as [AnyInput?]
      return await readAnswer(await send(id, input, connection), input.signal)
    },
    retry: async (attempt) => await retry(attempt, isTransient),
  })

  /**
   * Sends an authenticated call. After a 401, renews the authentication and sends it once more. `onSend` is
   * called after the login, which has retries of its own.
   */
  async function sendAuthenticated(
    id: AnyOperationId,
    input: AnyInput,
    onSend: () => void,
  ): Promise<Response> {
    const { method, isPublic } = routeOf(id)
    const authenticate = async () => await abortable(login.authenticate(method), input.signal)
    if (isPublic) {
      onSend()
      return await send(id, input, connection)
    }
    const authHeaders = await authenticate()
    onSend()
    const response = await send(id, input, connection, authHeaders)
    if (response.status !== 401) return response
    if (!(await abortable(login.renew(authHeaders), input.signal))) return response
    await response.body?.cancel()
    return await send(id, input, connection, await authenticate())
  }

  /** Sends a call and reads its response. Repeats it if that is safe. */
  async function perform<Result>(
    id: AnyOperationId,
    given: AnyInput,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { input, isRepeatable } = prepare(id, given)
    let isSent = false
    return await retry(
      async () => {
        isSent = false
        return await read(await sendAuthenticated(id, input, () => (isSent = true)))
      },
      (error) => isRepeatable && isSent && isTransient(error),
      input.signal,
    )
  }

  async function request(id: AnyOperationId, input: AnyInput = {}): Promise<Answer<unknown>> {
    const answer = await perform(
      id,
      input,
      async (response) => await readAnswer<unknown>(response, input.signal),
    )
    login.notice?.(id, answer.body)
    return answer
  }

  const stream = async (id: AnyOperationId, input: AnyInput = {}): Promise<Response> =>
    await perform(id, input, async (response) => {
      if (response.status < 400) return response
      throw parseError(response, await readText(response, input.signal))
    })

  async function* pages(id: AnyOperationId, input: AnyInput = {}) {
    let query = input.query
    while (true) {
      const page = await request(id, { ...input, query })
      yield page.body
      query = findNext(page)
      if (!query) return
    }
  }

  async function* all(id: AnyOperationId, input: AnyInput = {}) {
    for await (const page of pages(id, input)) yield* itemsOf(page)
  }

  async function* rows(id: AnyOperationId, input: AnyInput = {}) {
    const query = { ...input.query, format: 'ndjson' }
    yield* readLines(await stream(id, { ...input, query }), input.signal)
  }

  const operations = Object.fromEntries(
    (Object.keys(routes) as AnyOperationId[]).map((id) => [
      id,
      async (input?: AnyInput) => (await request(id, input)).body,
    ]),
  )
  const own = { request, stream, pages, all, rows, logIn: login.logIn, logOut: login.logOut }
  return { ...operations, ...own } as unknown as Client<Login>
}
