import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { firstCommands } from './first-commands.ts'

describe('a new access key', () => {
  it('has commands that log in and list a server', async (t) => {
    const bodies: string[] = []
    const urls: (string | undefined)[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        bodies.push(body)
        urls.push(request.url)
        if (request.method === 'POST') response.setHeader('X-Subject-Token', 'a-token')
        response.end(request.headers['x-auth-token'] ?? '')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const key = { access_key: 'AK1', secret: 'cms_abc' }
    const commands = firstCommands(`http://127.0.0.1:${port}`, key)
    const { stdout } = await promisify(execFile)('bash', ['-c', commands])
    assert.equal(stdout, 'a-token')
    // The project of the key may have none, such as that of the system.
    assert.deepEqual(urls, ['/v3/auth/tokens', '/servers?scope=max&limit=1'])
    assert.deepEqual(JSON.parse(bodies[0] ?? ''), {
      auth: { identity: { methods: ['aksk'], access_key_secret: 'AK1:cms_abc' } },
    })
  })
})
