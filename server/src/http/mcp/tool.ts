import type { InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import type { TSchema } from 'typebox'
import type { ActionTickets } from '../../domain/tasks/action-tickets.ts'
import type { CallApi } from './call-api.ts'
import type { Conversation } from './conversation.ts'
import type { McpClient } from './mcp-client.ts'

export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, TSchema>>
  readonly required: readonly string[]
  readonly additionalProperties: boolean
}

/** Who calls a tool. */
export interface ToolCaller {
  readonly api: CallApi
  readonly userId: string
  readonly client: McpClient
}

/** A call of a tool that acts. */
export interface ActingCall extends ToolCaller {
  readonly tickets: ActionTickets
  readonly conversation: Conversation
  readonly request: ServerContext['mcpReq']
}

export type ToolInput = Readonly<Record<string, unknown>>

/** What a tool returns: a question for the user, or the structured content. */
export type ToolAnswer = InputRequiredResult | Readonly<Record<string, unknown>>

/** A tool, as clients list it. Its texts are constants: what sources say is only in answers. */
export interface Tool<Call = ToolCaller> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  readonly changes?: true
  readonly call: (input: ToolInput, call: Call) => Promise<ToolAnswer>
}
