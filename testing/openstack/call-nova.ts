import assert from 'node:assert/strict'
import type { TestOpenStack } from './start.ts'

interface NovaRequest {
  /** The name of a user of Keystone, and of a project. */
  readonly as: readonly [user: string, project: string]
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: object
}

/** Calls Nova's own API, as a client other than Muster. Fails if Nova refuses. */
export async function callNova<Body>(
  { keystone, ports }: TestOpenStack,
  { as: [user, project], method, path, body }: NovaRequest,
): Promise<Body> {
  const response = await fetch(`http://127.0.0.1:${ports.nova}/v2.1${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-auth-token': await keystone.issueToken(user, project),
      'openstack-api-version': 'compute 2.93',
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  assert.ok(response.ok, `${path}: ${response.status} ${text}`)
  return (text === '' ? {} : JSON.parse(text)) as Body
}
