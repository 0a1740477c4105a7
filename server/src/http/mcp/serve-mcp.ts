import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Server } from '@modelcontextprotocol/server'
import type { ActionTickets } from '../../domain/tasks/action-tickets.ts'
import type { CallApi } from './call-api.ts'
import { conversationInRounds, conversationOnStream, readAnswer } from './conversation.ts'
import type { Conversation } from './conversation.ts'
import { createMcpServer } from './create-mcp-server.ts'
import { readMcpClient, readSessionId, toSessionId, type McpClient } from './mcp-client.ts'

export interface McpRequest {
  /** Without credentials. */
  readonly headers: Headers
  readonly message: unknown
  readonly signal: AbortSignal
  readonly userId: string
  readonly version: string
  /** Absent unless assistants may act. */
  readonly tickets: ActionTickets | undefined
  readonly createApi: (client: McpClient) => CallApi
}

const sessionHeader = 'mcp-session-id'
const noClient: McpClient = { name: 'unknown', canAsk: false }

const refused = (status: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message } }, { status })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** The client of 2026-07-28 says with each request who it is. */
function clientOf(message: unknown): McpClient {
  const params = isObject(message) ? message['params'] : undefined
  const meta = isObject(params) ? params['_meta'] : undefined
  if (!isObject(meta)) return noClient
  return readMcpClient(
    meta['io.modelcontextprotocol/clientInfo'],
    meta['io.modelcontextprotocol/clientCapabilities'],
  )
}

type OpenServer = (client: McpClient, conversation: Conversation) => Server

/** One request of 2025-11-25. Its session is in its header. */
async function serveLegacy(request: Request, given: McpRequest, open: OpenServer) {
  const { message, tickets, signal, userId } = given
  if (Array.isArray(message)) return refused(400, 'Batches are not supported. Send one message.')
  const isInitialize = isInitializeRequest(message)
  const session = request.headers.get(sessionHeader)
  const known = session === null ? noClient : readSessionId(session)
  const client = isInitialize
    ? readMcpClient(message.params.clientInfo, message.params.capabilities)
    : known
  if (!client) return refused(404, 'Unknown session. Send initialize again.')
  if (isJSONRPCResponse(message)) {
    // The call that asked may be waiting in another process.
    const answer = readAnswer('result' in message ? message.result : undefined)
    await tickets?.answer(String(message.id), userId, answer)
    return new Response(null, { status: 202 })
  }
  const transport = new WebStandardStreamableHTTPServerTransport({})
  const conversation = conversationOnStream({
    send: (question) =>
      transport.send(question, isJSONRPCRequest(message) ? { relatedRequestId: message.id } : {}),
    findAnswer: async (question) => await tickets?.findAnswer(question),
    signal,
  })
  await open(client, conversation).connect(transport)
  const response = await transport.handleRequest(request, { parsedBody: message })
  if (isInitialize) response.headers.set(sessionHeader, toSessionId(client))
  return response
}

/** Answers one message of MCP, of either version of the protocol. */
export async function serveMcp(given: McpRequest): Promise<Response> {
  const { headers, message, signal, createApi } = given
  const request = new Request('http://muster/mcp', { method: 'POST', headers, signal })
  const open: OpenServer = (client, conversation) =>
    createMcpServer({ ...given, client, conversation, api: createApi(client) })
  if (await isLegacyRequest(request, message)) return await serveLegacy(request, given, open)
  // Nothing tells of changes, so a stream that waits for them would only hold its connection.
  const handler = createMcpHandler(() => open(clientOf(message), conversationInRounds), {
    legacy: 'reject',
    maxSubscriptions: 0,
  })
  return await handler.fetch(request, { parsedBody: message })
}
