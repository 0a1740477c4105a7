import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testAuthority } from '../../server/src/testing/secure-server.ts'
import { installCas } from './install.ts'

const fixture = (name: string) =>
  join(import.meta.dirname, '../../server/src/testing/fixtures', name)

export interface CasPerson {
  readonly password: string
  readonly attributes: Readonly<Record<string, string | readonly string[]>>
}

/** The initial users. */
export const people = {
  ada: {
    password: 'ada at the engine',
    attributes: { mail: 'ada@example.org', group: ['staff', 'operators & <analysts>'] },
  },
  grace: {
    password: 'grace at the compiler',
    attributes: { mail: 'grace@example.org', group: ['guests'] },
  },
} as const satisfies Record<string, CasPerson>

export interface TestCas {
  /** The prefix of the protocol's paths. */
  readonly url: string
  /** The authority that signed its certificate. */
  readonly ca: string
  /** Adds a user, or changes the attributes or the password of one. */
  putPerson(name: string, person: CasPerson): void
  stop(): Promise<void>
}

/** Starts a real CAS server (django-cas-server) of its own, with TLS, in a temporary folder. */
export async function startCasServer(): Promise<TestCas> {
  const python = installCas()
  const home = mkdtempSync(join(tmpdir(), 'muster-cas-'))
  const everyone = new Map<string, CasPerson>(Object.entries(people))
  const writePeople = () =>
    writeFileSync(join(home, 'people.json'), JSON.stringify(Object.fromEntries(everyone)))
  writePeople()

  const server = spawn(
    python,
    // Without files of compiled code beside the sources.
    ['-B', 'serve.py', fixture('test-only-issued.cert.pem'), fixture('test-only.key.pem')],
    {
      cwd: import.meta.dirname,
      env: { ...process.env, CAS_HOME: home },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  )
  const exited = once(server, 'exit')
  const stop = async () => {
    server.kill()
    await exited
    rmSync(home, { recursive: true, force: true })
  }
  const port = await readPort(server).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return {
    url: `https://localhost:${port}/cas`,
    ca: testAuthority,
    stop,
    putPerson(name, person) {
      everyone.set(name, person)
      writePeople()
    },
  }
}

/** The port, as soon as the server says that it listens there. */
async function readPort(server: ChildProcess): Promise<string> {
  let output = ''
  return await new Promise((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      output += chunk.toString()
      const [, port] = /^port (\d+)$/m.exec(output) ?? []
      if (port !== undefined) resolve(port)
    }
    server.stdout?.on('data', listen)
    server.stderr?.on('data', listen)
    server.on('error', reject)
    server.on('exit', () => reject(new Error(`the CAS server did not start:\n${output}`)))
  })
}
