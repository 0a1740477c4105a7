import type { CallToolResult } from '@modelcontextprotocol/server'

/** Characters that are not seen: controls, marks of direction, tags, private and unpaired ones. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

const escapeUnits = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

/** JSON in which nothing is hidden from the user who reads along. */
const toVisibleJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(invisible, escapeUnits)

/** The answer of a tool: what sources say is nowhere but in values of JSON. */
export const toResult = (content: Readonly<Record<string, unknown>>): CallToolResult => ({
  content: [{ type: 'text', text: toVisibleJson(content) }],
  structuredContent: content,
})

/** An error that the assistant can correct. */
export const toErrorResult = (error: Readonly<Record<string, unknown>>): CallToolResult => ({
  content: [{ type: 'text', text: toVisibleJson(error) }],
  isError: true,
})

export const toJsonResource = (uri: string, content: unknown) => ({
  contents: [{ uri, mimeType: 'application/json', text: toVisibleJson(content) }],
})
