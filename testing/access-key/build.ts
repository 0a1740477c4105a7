import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

const source = join(import.meta.dirname, 'client')
const cache = join(import.meta.dirname, '../../node_modules/.cache/access-key')

/** Builds the third-party client with the machine's Go, and returns its path. The build is cached. */
export async function buildClient(): Promise<string> {
  mkdirSync(cache, { recursive: true })
  const binary = join(cache, process.platform === 'win32' ? 'client.exe' : 'client')
  const build = spawn('go', ['build', '-mod=readonly', '-trimpath', '-o', binary, '.'], {
    cwd: source,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [status] = (await once(build, 'exit')) as [number | null]
  if (status !== 0) throw new Error('go build failed')
  return binary
}
