import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../free-port.ts'
import { makeCertificates, type Certificates } from './certificates.ts'
import { describeGuest, type Guest } from './guest.ts'
import { installLibvirt } from './install.ts'

const execute = promisify(execFile)
/** The user `nobody`: a session daemon needs no permissions, and does not touch the machine's own libvirt. */
const nobody = 65_534
const patience = 30_000

export interface TestLibvirt {
  readonly folder: string
  /** The UUID of the host, as libvirt reports it. */
  readonly hostUuid: string
  /** Of the guests that QEMU runs. */
  readonly address: string
  /** Of libvirt's own test driver, on the same socket. */
  readonly testAddress: string
  /** By TLS, with certificates on both sides. */
  readonly tlsAddress: string
  readonly certificates: Certificates
  /** Runs libvirt's own tool against the guests. */
  virsh(...args: readonly string[]): Promise<string>
  /** Runs virsh commands against the test driver, which forgets everything when the connection ends. */
  openTestDriver(commands: readonly string[]): Promise<{ close(): Promise<void> }>
  /** Defines a domain without starting it. */
  define(xml: string): Promise<void>
  defineNetwork(xml: string): Promise<void>
  /** Makes a guest and boots it. */
  boot(guest: Partial<Guest> & Pick<Guest, 'name'>): Promise<string>
  consoleOf(name: string): string
  /** Like a crash: its guests keep running. */
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It may have ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const canConnect = (path: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(path)
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

/** Starts a separate libvirt daemon with its data in a temporary folder. */
export async function startLibvirt(): Promise<TestLibvirt> {
  const { path, kernel, initrd } = installLibvirt()
  const folder = mkdtempSync(join(tmpdir(), 'muster-libvirt-'))
  const socket = join(folder, 'libvirt-sock')
  const hostUuid = randomUUID()
  const config = join(folder, 'config/libvirt')
  for (const part of ['config/libvirt', 'run', 'pki']) {
    mkdirSync(join(folder, part), { recursive: true })
  }
  copyFileSync(kernel, join(folder, 'vmlinuz'))
  copyFileSync(initrd, join(folder, 'initrd'))
  const certificates = makeCertificates(join(folder, 'pki'))
  const port = await freePort()
  writeFileSync(
    join(config, 'libvirtd.conf'),
    [
      `unix_sock_dir = "${folder}"`,
      'auth_unix_rw = "none"',
      `host_uuid = "${hostUuid}"`,
      `log_outputs = "3:file:${folder}/libvirtd.log"`,
      'listen_tls = 1',
      'listen_tcp = 0',
      'listen_addr = "127.0.0.1"',
      `tls_port = "${port}"`,
      `key_file = "${certificates.folder}/daemon.key"`,
      `cert_file = "${certificates.folder}/daemon.pem"`,
      `ca_file = "${certificates.folder}/authority.pem"`,
      'auth_tls = "none"',
    ].join('\n'),
  )
  // The consoles are written by QEMU itself, so that no further daemon is needed.
  writeFileSync(join(config, 'qemu.conf'), 'stdio_handler = "file"\nsecurity_driver = "none"\n')
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    for (const part of ['.', ...globSync('**', { cwd: folder })]) {
      chownSync(join(folder, part), nobody, nobody)
    }
  }
  const rights = isRoot ? { uid: nobody, gid: nobody } : {}
  const env = {
    PATH: path,
    HOME: folder,
    // Otherwise it cuts names in the middle of a character.
    LANG: 'C.UTF-8',
    XDG_RUNTIME_DIR: join(folder, 'run'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    XDG_DATA_HOME: join(folder, 'data'),
  }

  const launch = async () => {
    const child = spawn(
      'libvirtd',
      ['--listen', '--timeout', '0', '--config', join(config, 'libvirtd.conf')],
      // In a group of its own, so that Ctrl-C reaches it through us only.
      { env, cwd: folder, detached: true, stdio: ['ignore', 'ignore', 'pipe'], ...rights },
    )
    let complaint = ''
    child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
    const exited = once(child, 'exit')
    const end = Date.now() + patience
    while (!(await canConnect(socket))) {
      if (child.exitCode !== null || Date.now() > end) {
        throw new Error(`libvirtd did not start:\n${complaint}`)
      }
      await pause(50)
    }
    return { child, exited }
  }
  let daemon = await launch()
  const helpers = new Set<ChildProcess>()

  const endDaemon = async (signal: NodeJS.Signals) => {
    daemon.child.kill(signal)
    await daemon.exited
    rmSync(socket, { force: true })
  }
  const address = `qemu+unix:///session?socket=${socket}`
  const testAddress = `test+unix:///default?socket=${socket}`
  const virsh = async (...args: readonly string[]) =>
    (await execute('virsh', ['-c', address, ...args], { env, timeout: patience })).stdout
  const writeXml = (xml: string) => {
    const file = join(folder, `${randomUUID()}.xml`)
    writeFileSync(file, xml)
    return file
  }
  const consolePath = (name: string) => join(folder, `${Buffer.from(name).toString('hex')}.console`)

  return {
    folder,
    hostUuid,
    address,
    testAddress,
    tlsAddress: `qemu+tls://localhost:${port}/session`,
    certificates,
    virsh,

    async openTestDriver(commands) {
      const child = spawn('virsh', ['-c', testAddress, '--quiet'], {
        env,
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      const exited = once(child, 'exit')
      helpers.add(child)
      let output = ''
      const ready = new Promise<void>((resolve, reject) => {
        child.stderr.on('data', (chunk: Buffer) => reject(new Error(chunk.toString())))
        child.stdout.on('data', (chunk: Buffer) => {
          output += chunk.toString()
          // The next prompt follows on the same line.
          if (/^all is said/m.test(output)) resolve()
        })
      })
      child.stdin.write([...commands, 'echo all is said', ''].join('\n'))
      await ready
      return {
        async close() {
          child.stdin.end()
          await exited
        },
      }
    },

    async define(xml) {
      await virsh('define', writeXml(xml))
    },

    async defineNetwork(xml) {
      await virsh('net-define', writeXml(xml))
    },

    async boot(guest) {
      const uuid = guest.uuid ?? randomUUID()
      const own = { kernel: join(folder, 'vmlinuz'), initrd: join(folder, 'initrd') }
      const log = consolePath(guest.name)
      await virsh('define', writeXml(describeGuest({ ...own, log, ...guest, uuid })))
      await virsh('start', uuid)
      return uuid
    },

    consoleOf: (name) => readFileSync(consolePath(name), 'utf8'),
    kill: () => endDaemon('SIGKILL'),
    async restart() {
      daemon = await launch()
    },

    async stop() {
      // Guests that are still running. Each has a PID file.
      for (const file of globSync('run/libvirt/qemu/run/*.pid', { cwd: folder })) {
        const pid = Number(readFileSync(join(folder, file), 'utf8'))
        if (pid !== daemon.child.pid && pid > 1) endProcess(pid)
      }
      for (const helper of helpers) helper.kill()
      await endDaemon('SIGTERM')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
