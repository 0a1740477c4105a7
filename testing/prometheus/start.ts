import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { temporaryFolder, type Lifetime } from '../../server/src/testing/spawn-muster.ts'
import { unpackPackage } from '../debian.ts'
import { freePort } from '../free-port.ts'

const program = (name: 'prometheus' | 'promtool') =>
  join(unpackPackage('prometheus'), 'usr/bin', name)

/** Runs Prometheus' own checks. Throws, with what they print, if they find something. */
export function runPromtool(...args: readonly string[]): void {
  execFileSync(program('promtool'), args, { stdio: 'pipe', encoding: 'utf8' })
}

export interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [time: number, value: string]
}

export interface AlertRule {
  readonly name: string
  readonly query: string
  /** `unknown` until it was evaluated. */
  readonly health: 'ok' | 'err' | 'unknown'
  readonly state: 'inactive' | 'pending' | 'firing'
  readonly lastError?: string
}

/** Starts a Prometheus with this configuration. */
export async function startPrometheus(lifetime: Lifetime, configuration: string) {
  const data = temporaryFolder(lifetime)
  const file = join(data, 'prometheus.yml')
  writeFileSync(file, configuration)
  const url = `http://127.0.0.1:${await freePort()}`
  const server = spawn(
    program('prometheus'),
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(data, 'data')}`,
      `--web.listen-address=${url.slice('http://'.length)}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const exited = once(server, 'exit')
  lifetime.after(async () => {
    server.kill('SIGKILL')
    await exited
  })
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (server.exitCode !== null) throw new Error('Prometheus ended')
    await pause(50)
  }

  async function call<Data>(path: string): Promise<Data> {
    const response = await fetch(`${url}/api/v1/${path}`)
    const body = (await response.json()) as { status: string; error?: string; data: Data }
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`)
    return body.data
  }
  return {
    /** The result of an expression now. Throws if Prometheus cannot parse it. */
    async query(expression: string): Promise<readonly Series[]> {
      const data = await call<{ result: readonly Series[] }>(
        `query?query=${encodeURIComponent(expression)}`,
      )
      return data.result
    },
    async alertRules(): Promise<readonly AlertRule[]> {
      const { groups } = await call<{ groups: { rules: AlertRule[] }[] }>('rules?type=alert')
      return groups.flatMap(({ rules }) => rules)
    },
  }
}
export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>
