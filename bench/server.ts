import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { NewCredentialDto } from '@muster/contract'
import { stopChild, trackChild } from './child-processes.ts'

export const password = 'a password for the bench'

export interface BenchServer {
  readonly url: string
  readonly pid: number
  /** Milliseconds from the start of the process to its first response. */
  readonly timeToFirstResponse: number
  readonly folder: string
  stop(): Promise<void>
}

export interface StartOptions {
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Shows its standard error, such as the progress of a load. */
  readonly showsOutput?: boolean
}

/** Starts Muster as an operator would, in its own process, and waits until it is ready. */
export async function startServer(
  port: number,
  folder = newFolder(),
  { flags = [], env = {}, showsOutput = false }: StartOptions = {},
): Promise<BenchServer> {
  const begin = performance.now()
  const server = trackChild(
    spawn(
      process.execPath,
      [
        new URL('../server/muster.js', import.meta.url).pathname,
        'serve',
        `--port=${port}`,
        `--data-dir=${join(folder, 'data')}`,
        '--log-level=warn',
        '--login-failures-per-minute=0',
        // The limit is checked as usual, but never reached.
        '--tokens-per-user=1000000000',
        ...flags,
      ],
      {
        stdio: ['ignore', 'ignore', showsOutput ? 'inherit' : 'ignore'],
        env: { ...env, PATH: process.env['PATH'], MUSTER_ADMIN_PASSWORD: password },
      },
    ),
  )
  const url = `http://127.0.0.1:${port}`
  while (!(await isReady(url))) {
    if (server.exitCode !== null) throw new Error('the server ended before its first answer')
    // Polling without a pause would take a core from the server.
    await pause(2)
  }
  const timeToFirstResponse = performance.now() - begin
  return {
    url,
    pid: server.pid ?? 0,
    timeToFirstResponse,
    folder,
    stop: () => stopChild(server),
  }
}

export const newFolder = () => mkdtempSync(join(tmpdir(), 'muster-bench-'))

export const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true })

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    (response) => response.ok,
    () => false,
  )

/** Anonymous memory of the process in bytes, without mapped files. */
export function anonymousMemory(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const [, kilobytes] = /^Anonymous:\s+(\d+) kB$/m.exec(text) ?? []
  return Number(kilobytes) * 1_024
}

/** Microseconds of processor time that all threads of the process have used. */
export function processorTime(pid: number): number {
  const tasks = `/proc/${pid}/task`
  const timeOf = (task: string) =>
    Number(readFileSync(join(tasks, task, 'schedstat'), 'utf8').split(' ')[0])
  return readdirSync(tasks).reduce((sum, task) => sum + timeOf(task), 0) / 1_000
}

const scope = { project: { name: 'system', domain: { id: 'default' } } }

/** The body of a login with the admin's password. */
export const passwordLogin = JSON.stringify({
  auth: {
    identity: { methods: ['password'], password: { user: { name: 'sysadmin', password } } },
    scope,
  },
})

/** The body of a login with a token. */
export const tokenLogin = (id: string): string =>
  JSON.stringify({ auth: { identity: { methods: ['token'], token: { id } }, scope } })

/** The body of a login with an access key. */
export const accessKeyLogin = (access_key_secret: string): string =>
  JSON.stringify({ auth: { identity: { methods: ['aksk'], access_key_secret } } })

/** Posts JSON as the owner of a token. */
export const post = (url: string, path: string, body: string, token = '') =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-auth-token': token },
    body,
  })

/** Sends the body of a login, and returns the token. */
export async function sendLogin(url: string, body: string): Promise<string> {
  const response = await post(url, '/v3/auth/tokens', body)
  const token = response.headers.get('x-subject-token')
  if (token === null) throw new Error(`login failed: ${response.status}`)
  return token
}

export const logIn = (url: string): Promise<string> => sendLogin(url, passwordLogin)

/** Creates an access key of the administrator. */
export async function makeAccessKey(url: string): Promise<{ accessKey: string; secret: string }> {
  const token = await logIn(url)
  const response = await fetch(`${url}/v3/auth/projects`, { headers: { 'x-auth-token': token } })
  const { projects } = (await response.json()) as { projects: { id: string }[] }
  const wanted = JSON.stringify({ credential: { type: 'aksk', project_id: projects[0]?.id } })
  const made = await post(url, '/v3/credentials', wanted, token)
  if (made.status !== 201) throw new Error(`no access key: ${made.status}`)
  const { credential } = (await made.json()) as { credential: NewCredentialDto }
  return { accessKey: credential.access_key, secret: credential.secret }
}
