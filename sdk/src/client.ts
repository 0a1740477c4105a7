import type { Answer, Auth } from './auth/auth.ts'
import { reviveError } from './revive-error.ts'
import type { AnyOperationId, Arguments, Item, ListId, Output } from './operations.ts'
import { findNext, itemsOf } from './pages.ts'
import { isPublic } from './public-operations.ts'
import { readAnswer, readText } from './read-answer.ts'
import { routes } from './routes.ts'
import { methodOf, send, type AnyInput, type Connection, type Fetch } from './send.ts'

interface ClientOptions<Login> {
  /** Of the platform; of the page's own origin where it is left out. */
  readonly url?: string
  /** Of identity, where that is another. */
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
  /** An operation by its name, with all of the answer: its status and its headers too. */
  request<Id extends AnyOperationId>(id: Id, ...args: Arguments<Id>): Promise<Answer<Output<Id>>>
  /** The answer before it is read, for exports and whatever is too large to hold. */
  stream<Id extends AnyOperationId>(id: Id, ...args: Arguments<Id>): Promise<Response>
  /** The pages of a list, one after the other, as they are asked for. */
  pages<Id extends ListId>(id: Id, ...args: Arguments<Id>): AsyncGenerator<Output<Id>, void, void>
  /** The items of a list, page by page. */
  all<Id extends ListId>(id: Id, ...args: Arguments<Id>): AsyncGenerator<Item<Id>, void, void>
  /** Calls do so by themselves; for those who want to know at once. */
  logIn(): Promise<Login>
  /** Ends what `logIn` began: the token is revoked, the session is over. */
  logOut(): Promise<void>
}

const nobody: Auth<void> = {
  prefix: '',
  connect: () => ({
    prove: async () => ({}),
    renew: async () => false,
    logIn: async () => {},
    logOut: async () => {},
  }),
}

/** A client of Muster's API: a method for each of its operations, typed as the contract has them. */
export function createClient<Login = void>(options: ClientOptions<Login> = {}): Client<Login> {
  const { url = '', authUrl = url, headers = {} } = options
  const auth = options.auth ?? (nobody as unknown as Auth<Login>)
  const connection: Connection = {
    url: url.replace(/\/+$/, ''),
    authUrl: authUrl.replace(/\/+$/, ''),
    prefix: auth.prefix,
    // Looked up at each call: whoever replaces the global one means this one too.
    fetch: options.fetch ?? ((address, init) => globalThis.fetch(address, init)),
    headers,
  }
  const login = auth.connect({
    authHost: authUrl === '' ? '' : new URL(authUrl).host,
    call: async (id, ...[input]) =>
      await readAnswer(await send(id, (input ?? {}) as AnyInput, connection), input?.signal),
  })

  /** Sends it with proof of who asks; where that is refused, once more with another. */
  async function sendProven(id: AnyOperationId, input: AnyInput): Promise<Response> {
    if (isPublic(id)) return await send(id, input, connection)
    const proof = await login.prove(methodOf(id))
    input.signal?.throwIfAborted()
    const response = await send(id, input, connection, proof)
    if (response.status !== 401) return response
    if (!(await login.renew(proof))) return response
    await response.body?.cancel()
    return await send(id, input, connection, await login.prove(methodOf(id)))
  }

  async function request(id: AnyOperationId, input: AnyInput = {}): Promise<Answer<unknown>> {
    const answer = await readAnswer(await sendProven(id, input), input.signal)
    login.notice?.(id, answer.body)
    return answer
  }

  async function stream(id: AnyOperationId, input: AnyInput = {}): Promise<Response> {
    const response = await sendProven(id, input)
    if (response.status >= 400) throw reviveError(response, await readText(response, input.signal))
    return response
  }

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

  const operations = Object.fromEntries(
    (Object.keys(routes) as AnyOperationId[]).map((id) => [
      id,
      async (input?: AnyInput) => (await request(id, input)).body,
    ]),
  )
  const own = { request, stream, pages, all, logIn: login.logIn, logOut: login.logOut }
  return { ...operations, ...own } as unknown as Client<Login>
}
