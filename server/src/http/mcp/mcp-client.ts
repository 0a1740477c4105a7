import { toVisibleLine } from './visible-line.ts'

/** The program at the other end, as it describes itself. Nothing but its own answers depends on it. */
export interface McpClient {
  /** For the audit log. */
  readonly name: string
  /** Whether it can ask its user with a form. */
  readonly canAsk: boolean
}

const maxNameLength = 64

/** A name that can be shown anywhere. */
export const cleanClientName = (name: unknown): string =>
  toVisibleLine(typeof name === 'string' ? name : '', maxNameLength) || 'unknown'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads what a client says of itself. An `elicitation` without modes means forms. */
export function readMcpClient(info: unknown, capabilities: unknown): McpClient {
  const elicitation = isObject(capabilities) ? capabilities['elicitation'] : undefined
  return {
    name: cleanClientName(isObject(info) ? info['name'] : undefined),
    canAsk:
      isObject(elicitation) && ('form' in elicitation || Object.keys(elicitation).length === 0),
  }
}

/**
 * The session of a client of 2025-11-25. It contains what the client said at `initialize`, so that every
 * process can continue it, also after a restart. It grants nothing.
 */
export const toSessionId = (client: McpClient): string =>
  Buffer.from(JSON.stringify([client.name, client.canAsk])).toString('base64url')

export function readSessionId(sessionId: string): McpClient | undefined {
  if (sessionId.length > 1_024) return undefined
  try {
    const [name, canAsk] = JSON.parse(Buffer.from(sessionId, 'base64url').toString()) as unknown[]
    return { name: cleanClientName(name), canAsk: canAsk === true }
  } catch {
    return undefined
  }
}
