import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { testAuthority } from '../../server/src/testing/secure-server.ts'
import { freePort } from '../free-port.ts'
import { installKeycloak } from './install.ts'

const fixture = (name: string) =>
  join(import.meta.dirname, '../../server/src/testing/fixtures', name)

/** Milliseconds that Keycloak may need to start on a busy machine. */
const longestStart = 180_000
const administrator = { username: 'admin', password: 'of the test' }

/** Starts a real Keycloak of its own, with the realm `acme.json`. */
export async function startKeycloak() {
  const port = await freePort()
  const url = `https://localhost:${port}`
  const server = spawn(
    join(installKeycloak(), 'bin/kc.sh'),
    [
      'start',
      '--optimized',
      '--import-realm',
      // Listens for no other nodes.
      '--cache=local',
      `--hostname=${url}`,
      '--http-host=127.0.0.1',
      `--https-port=${port}`,
      `--https-certificate-file=${fixture('test-only-issued.cert.pem')}`,
      `--https-certificate-key-file=${fixture('test-only.key.pem')}`,
    ],
    {
      env: {
        ...process.env,
        KC_BOOTSTRAP_ADMIN_USERNAME: administrator.username,
        KC_BOOTSTRAP_ADMIN_PASSWORD: administrator.password,
      },
      // A group of its own, because the script starts Java as another process.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-8_000)))
  }
  const exited = once(server, 'exit')

  async function ask<Body>(path: string, sent: object = {}, body = ''): Promise<Body> {
    const outgoing = request(url + path, { ca: testAuthority, agent: false, ...sent })
    const [answer] = (await once(outgoing.end(body), 'response')) as [IncomingMessage]
    const content = await text(answer)
    if ((answer.statusCode ?? 500) >= 300) throw new Error(`${answer.statusCode} ${content}`)
    return (content === '' ? undefined : JSON.parse(content)) as Body
  }

  async function requestToken(realm: string, form: Readonly<Record<string, string>>) {
    const { access_token } = await ask<{ access_token: string }>(
      `/realms/${realm}/protocol/openid-connect/token`,
      { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      new URLSearchParams(form).toString(),
    )
    return access_token
  }

  async function awaitStart(): Promise<void> {
    const end = performance.now() + longestStart
    for (;;) {
      const isReady = await ask('/realms/acme').then(
        () => true,
        () => false,
      )
      if (isReady) return
      if (server.exitCode !== null || performance.now() > end) {
        throw new Error(`Keycloak did not start:\n${output}`)
      }
      await pause(500)
    }
  }
  async function stop(): Promise<void> {
    if (server.pid === undefined) return
    process.kill(-server.pid, 'SIGKILL')
    await exited
  }
  await awaitStart().catch(async (error: unknown) => {
    await stop()
    throw error
  })

  return {
    issuer: `${url}/realms/acme`,
    /** An access token of the realm. */
    tokenOf: (form: Readonly<Record<string, string>>) => requestToken('acme', form),

    /** A request of Keycloak's administrator about the realm. */
    async administer<Body>(method: string, path: string, body?: object): Promise<Body> {
      const token = await requestToken('master', {
        grant_type: 'password',
        client_id: 'admin-cli',
        ...administrator,
      })
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const content = body === undefined ? '' : JSON.stringify(body)
      return await ask<Body>(`/admin/realms/acme${path}`, { method, headers }, content)
    },

    stop,
  }
}
export type TestKeycloak = Awaited<ReturnType<typeof startKeycloak>>
