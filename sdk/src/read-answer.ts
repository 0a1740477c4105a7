import type { Answer } from './auth/auth.ts'
import { ConnectionError } from './errors.ts'
import { reviveError, unreadableAnswer } from './revive-error.ts'

export async function readText(response: Response, signal?: AbortSignal): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    signal?.throwIfAborted()
    throw new ConnectionError('The answer broke off', { cause: error })
  }
}

/** Reads an answer as a whole; one that says no is thrown. */
export async function readAnswer<Body>(
  response: Response,
  signal?: AbortSignal,
): Promise<Answer<Body>> {
  const { status, headers } = response
  const text = await readText(response, signal)
  if (status >= 400) throw reviveError(response, text)
  const isJson = headers.get('content-type')?.includes('json') === true
  return { body: (isJson ? parse(response, text) : text || undefined) as Body, status, headers }
}

function parse(response: Response, text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw unreadableAnswer(response)
  }
}
