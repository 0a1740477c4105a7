import assert from 'node:assert/strict'
import { ask } from './client.ts'

export const mcpVersions = ['2026-07-28', '2025-11-25'] as const
export type McpVersion = (typeof mcpVersions)[number]

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

interface McpToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: boolean
}

/** How a user answers a question; `silent` never does. */
type UserAnswer = 'yes' | 'no' | 'decline' | 'cancel' | 'silent'

interface Settings {
  readonly headers: Readonly<Record<string, string>>
  /** Another node, to which answers to questions are sent. */
  readonly answersTo?: string
  readonly capabilities?: object
  readonly name?: string
}

const prefix = 'io.modelcontextprotocol/'

/** Also what Python takes for one. */
const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/

const messagesOf = (type: string, text: string): readonly Message[] =>
  type.startsWith('text/event-stream')
    ? text
        .split(lineBreak)
        .filter((line) => line.startsWith('data: '))
        .map((line) => JSON.parse(line.slice(6)) as Message)
    : text === ''
      ? []
      : [JSON.parse(text) as Message]

/** A client of MCP over HTTP, of one version of the protocol, without a library. */
export function createMcpClient(url: string, version: McpVersion, settings: Settings) {
  const { headers, capabilities = {}, name = 'test client' } = settings
  const clientInfo = { name, version: '1' }
  let session: Promise<string> | undefined
  let ids = 0

  const post = (body: unknown, more: Readonly<Record<string, string>> = {}) =>
    ask<never>(url, '/mcp', {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', ...headers, ...more },
      body,
    })

  async function initialize(): Promise<string> {
    ids += 1
    const params = { protocolVersion: version, capabilities, clientInfo }
    const answer = await post({ jsonrpc: '2.0', id: ids, method: 'initialize', params })
    assert.equal(answer.status, 200, answer.text)
    return answer.headers.get('mcp-session-id') ?? ''
  }

  async function sessionHeaders(): Promise<Readonly<Record<string, string>>> {
    session ??= initialize()
    return { 'mcp-session-id': await session, 'mcp-protocol-version': version }
  }

  /** The answer of HTTP. */
  async function send(method: string, params: Readonly<Record<string, unknown>> = {}) {
    ids += 1
    if (version === '2025-11-25') {
      return await post({ jsonrpc: '2.0', id: ids, method, params }, await sessionHeaders())
    }
    const _meta = {
      [`${prefix}protocolVersion`]: version,
      [`${prefix}clientInfo`]: clientInfo,
      [`${prefix}clientCapabilities`]: capabilities,
    }
    const target = params['name'] ?? params['uri']
    return await post(
      {
        jsonrpc: '2.0',
        id: ids,
        method,
        params: { ...params, _meta: { ..._meta, ...(params['_meta'] as object) } },
      },
      {
        'mcp-protocol-version': version,
        'mcp-method': method,
        ...(typeof target === 'string' && { 'mcp-name': target }),
      },
    )
  }

  /** All messages of the answer: notifications first, the response last. */
  async function exchange(method: string, params: Readonly<Record<string, unknown>> = {}) {
    const { headers: given, text } = await send(method, params)
    return messagesOf(given.get('content-type') ?? '', text)
  }

  async function request(method: string, params: Readonly<Record<string, unknown>> = {}) {
    const response = (await exchange(method, params)).at(-1)
    assert.ok(response?.result, JSON.stringify(response))
    return response.result
  }

  const toResult = (answer: UserAnswer) =>
    answer === 'yes' || answer === 'no'
      ? { action: 'accept', content: { confirm: answer === 'yes' } }
      : { action: answer }

  /** Calls a tool that asks its user, and answers. Returns the question too. */
  async function callAsking(tool: string, input: object, answer: UserAnswer, meta: object = {}) {
    const call = { name: tool, arguments: input, _meta: meta }
    const notified: Message[] = []
    if (version === '2026-07-28') {
      const first = await request('tools/call', call)
      if (first['resultType'] !== 'input_required')
        return { result: first as unknown as McpToolResult }
      const { confirm } = first['inputRequests'] as {
        confirm: { params: { message: string } }
      }
      const question = confirm.params.message
      if (answer === 'silent') return { question }
      const more = {
        inputResponses: { confirm: toResult(answer) },
        requestState: first['requestState'],
      }
      const messages = await exchange('tools/call', { ...call, ...more })
      const result = messages.at(-1)?.result as unknown as McpToolResult
      return { question, result, notified: messages.slice(0, -1) }
    }
    ids += 1
    const session = await sessionHeaders()
    const abort = new AbortController()
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
        ...session,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ids, method: 'tools/call', params: call }),
      signal: abort.signal,
    })
    assert.ok(response.body)
    let question: string | undefined
    let text = ''
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      text += piece
      if (!text.endsWith('\n\n')) continue
      for (const message of messagesOf('text/event-stream', text)) {
        if (message.method === 'elicitation/create') {
          question = String(message.params?.['message'])
          if (answer === 'silent') {
            abort.abort()
            return { question }
          }
          const body = { jsonrpc: '2.0', id: message.id, result: toResult(answer) }
          const sent = await ask<never>(settings.answersTo ?? url, '/mcp', {
            method: 'POST',
            headers: { ...headers, ...session },
            body,
          })
          assert.equal(sent.status, 202)
        } else if (message.result) {
          return { question, result: message.result as unknown as McpToolResult, notified }
        } else notified.push(message)
      }
      text = ''
    }
    throw new Error('the stream ended without a result')
  }

  return {
    post,
    callAsking,
    send,
    exchange,
    request,
    sessionHeaders,
    callTool: async (tool: string, input: object = {}, more: object = {}) =>
      (await request('tools/call', {
        name: tool,
        arguments: input,
        ...more,
      })) as unknown as McpToolResult,
  }
}
