import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { SourceSettings } from '../../server/src/domain/sources/source.ts'
import { installVcsim } from './install.ts'

interface VcsimOptions {
  readonly listen?: string
  /** Of each cluster, and of the host outside of clusters. */
  readonly vms?: number
  /** Of one of them: the fast way to have thousands. */
  readonly copies?: number
  /** Each has one cluster, and one host outside of it. */
  readonly datacenters?: number
  readonly pools?: number
  readonly folders?: number
  /** A standalone ESXi host instead of a vCenter. */
  readonly esx?: boolean
  readonly uuid?: string
}

export interface TestVcsim {
  readonly url: string
  /** PEM; it signs itself. */
  readonly certificate: string
  /** Of an account. */
  readonly settings: SourceSettings
  stop(): Promise<void>
  kill(): Promise<void>
}

/** With characters that XML escapes. */
const credentials = { username: 'muster@vsphere.local', password: 'p<ss & "word"' }

/** Starts vcsim, VMware's own simulator of a vCenter. */
export async function startVcsim(options: VcsimOptions = {}): Promise<TestVcsim> {
  const flags = Object.entries(options).map(([name, value]) => `-${name}=${value}`)
  const vcsim = spawn(
    installVcsim(),
    [`-user=${credentials.username}`, `-password=${credentials.password}`, ...flags],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  )
  let complaints = ''
  vcsim.stderr.on('data', (chunk: Buffer) => {
    complaints = `${complaints}${chunk.toString()}`.slice(-4_000)
  })
  const exited = once(vcsim, 'exit')
  const { done, value } = await createInterface(vcsim.stdout)[Symbol.asyncIterator]().next()
  if (done === true) throw new Error(`vcsim ended:\n${complaints}`)
  const { url, certificate } = JSON.parse(value) as Record<'url' | 'certificate', string>
  return {
    url,
    certificate,
    settings: { address: url, credentials, options: { ca: certificate } },
    async stop() {
      vcsim.stdin.end()
      await exited
    },
    async kill() {
      vcsim.kill('SIGKILL')
      await exited
    },
  }
}
