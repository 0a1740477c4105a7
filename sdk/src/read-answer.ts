import type { Answer } from './auth/auth.ts'
import { ConnectionError } from './errors.ts'
import { parseError } from './parse-error.ts'

export async function readText(response: Response, signal?: AbortSignal): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    signal?.throwIfAborted()
    throw new ConnectionError('The connection closed before the response was complete', {
      cause: error,
    })
  }
}

/** Reads a complete response. Throws an `ApiError` if it is not successful. */
export async function readAnswer<Body>(
  response: Response,
  signal?: AbortSignal,
): Promise<Answer<Body>> {
  const { status, headers } = response
  const text = await readText(response, signal)
  if (status >= 400) throw parseError(response, text)
  const isJson = headers.get('content-type')?.includes('json') === true
  return { body: (isJson ? parse(status, text) : text || undefined) as Body, status, headers }
}

function parse(status: number, text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ConnectionError(`HTTP ${status} with invalid JSON`, { cause: error })
  }
}
