import { execFile, execFileSync, spawn } from 'node:child_process'
import { randomBytes, randomInt, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { underUmask } from '../../server/src/testing/under-umask.ts'
import { freePort } from '../free-port.ts'
import { installIncus } from './install.ts'

const execute = promisify(execFile)
const patience = 60_000
/** For the start of a container. */
const startPatience = 90_000

type Product = 'incus' | 'lxd'

interface KeyPair {
  readonly certificate: string
  readonly key: string
}

export interface TestIncus {
  readonly product: Product
  readonly folder: string
  readonly address: string
  readonly tlsAddress: string
  /** Of the daemon's certificate. */
  fingerprint(): string
  /** Makes a key pair that the daemon does not know. */
  makeKeyPair(name: string): KeyPair
  /** Adds a certificate file to the trust store, for these projects or for all. */
  trust(file: string, projects?: readonly string[]): Promise<void>
  /** Changes the projects of a restricted certificate. */
  limitTrust(name: string, projects: readonly string[]): Promise<void>
  /** Runs the command line client of the product. */
  run(...args: readonly string[]): Promise<string>
  /** Starts a container, which the kernel of a busy machine refuses now and then. */
  start(name: string, project?: string): Promise<void>
  /** Creates and starts a container. Returns its UUID. */
  launch(name: string, ...args: readonly string[]): Promise<string>
  uuidOf(name: string, project?: string): Promise<string>
  /** Creates a managed bridge with DHCP. Returns its name. */
  createBridge(): Promise<{ readonly name: string; readonly subnet: string }>
  /**
   * Fills a new project with stopped containers that exist in the daemon's database only. Creating
   * them would take an hour.
   */
  fill(project: string, count: number): Promise<void>
  /** Makes a stopped container a virtual machine, in the database only: there is no KVM here. */
  turnIntoVirtualMachine(name: string): Promise<void>
  /** Configures the daemon from a description, as for joining a cluster. */
  initialize(preseed: object): Promise<void>
  kill(): Promise<void>
  restart(): Promise<void>
  /** Stops all containers and the daemon. Nothing of it is left. */
  stop(): Promise<void>
}

interface Options {
  readonly product?: Product
  /** A storage pool, an image and a client: not for a daemon that joins a cluster. */
  readonly isPrepared?: boolean
}

/** Starts a daemon of Incus or LXD in a folder of its own. It needs to be root. */
export async function startIncus(options: Options = {}): Promise<TestIncus> {
  const { product = 'incus', isPrepared = true } = options
  if (process.getuid?.() !== 0) throw new Error('Incus and LXD can be started by root only.')
  const { path, libraries, image, daemons } = installIncus()
  const folder = mkdtempSync(join(tmpdir(), `muster-${product}-`))
  // Containers have users of their own, who must get through.
  chmodSync(folder, 0o711)
  const data = join(folder, 'data')
  mkdirSync(data)
  const env = {
    PATH: path,
    HOME: folder,
    LANG: 'C.UTF-8',
    LD_LIBRARY_PATH: product === 'incus' ? libraries : '',
    INCUS_DIR: data,
    INCUS_CONF: join(folder, 'client'),
    LXD_DIR: data,
    LXD_CONF: join(folder, 'client'),
  }
  async function call(program: string, args: readonly string[], input = ''): Promise<string> {
    const running = execute(program, args, { env, timeout: patience, maxBuffer: 2 ** 26 })
    // Some commands wait for settings from there. Others end before they could read any.
    running.child.stdin?.on('error', () => {}).end(input)
    return (await running).stdout.trim()
  }
  const run = (...args: readonly string[]) => call(product === 'incus' ? 'incus' : 'lxc', args)
  const administer = (...args: readonly string[]) =>
    product === 'incus' ? run('admin', ...args) : call(daemons.lxd, args)

  const sql = (statement: string) => administer('sql', 'global', statement)

  async function launchDaemon() {
    // A Muster that started in this process keeps its files from others. Containers have users of their own.
    const child = underUmask(0o022, () =>
      spawn(daemons[product], ['--group', 'root'], {
        env,
        cwd: folder,
        // In a group of its own, so that Ctrl-C reaches it through us only.
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    )
    let complaint = ''
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = `${complaint}${chunk.toString()}`.slice(-4_000)
    })
    const exited = once(child, 'exit')
    await call(daemons[product], ['waitready', '--timeout=30']).catch(() => {
      throw new Error(`${product} did not start:\n${complaint}`)
    })
    return { child, exited }
  }
  let daemon = await launchDaemon()
  const port = await freePort()
  const uuidOf = async (name: string, project = 'default') =>
    await run('config', 'get', name, 'volatile.uuid', '--project', project)

  function makeKeyPair(name: string): KeyPair {
    const [key, file] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
    const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const files = ['-keyout', key, '-out', file]
    execFileSync(
      'openssl',
      ['req', '-x509', ...ec, ...files, '-days', '2', '-subj', `/CN=${name}`],
      { stdio: 'pipe' },
    )
    return { certificate: readFileSync(file, 'utf8'), key: readFileSync(key, 'utf8') }
  }

  async function endDaemon(): Promise<void> {
    await administer('shutdown', '--timeout=20', '--force').catch(() => daemon.child.kill())
    await daemon.exited
    const mounts = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '')
      .filter((place) => place.startsWith(folder))
    for (const place of mounts.toReversed()) execFileSync('umount', ['--lazy', place])
  }

  async function startContainer(name: string, project = 'default'): Promise<void> {
    const end = performance.now() + startPatience
    for (;;) {
      const refusal = await run('start', name, '--project', project).then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      // The client gave up before the daemon did.
      if (refusal === undefined || String(refusal.error).includes('already running')) return
      if (performance.now() > end) {
        const log = await run('info', name, '--show-log', '--project', project).catch(String)
        // The summary of a test run shows the first line of an error only.
        const last = log.split('\n').filter(Boolean).slice(-3).join(' | ')
        throw new Error(`${name} did not start: ${last}\n${log}`, { cause: refusal.error })
      }
      await pause(3_000)
    }
  }

  await run('config', 'set', 'core.https_address', `127.0.0.1:${port}`)
  if (isPrepared) {
    await run('storage', 'create', 'default', 'dir')
    await run('profile', 'device', 'add', 'default', 'root', 'disk', 'path=/', 'pool=default')
    await run('image', 'import', image, '--alias', 'busybox')
  }
  const bridges: string[] = []

  return {
    product,
    folder,
    address: `unix://${data}/unix.socket`,
    tlsAddress: `https://127.0.0.1:${port}`,
    fingerprint: () => {
      const [cluster, server] = ['cluster.crt', 'server.crt'].map((name) => join(data, name))
      const read = (file = '') => new X509Certificate(readFileSync(file)).fingerprint256
      try {
        return read(cluster)
      } catch {
        return read(server)
      }
    },
    makeKeyPair,
    async trust(file, projects) {
      const limits = projects ? ['--restricted', '--projects', projects.join(',')] : []
      const command = product === 'incus' ? 'add-certificate' : 'add'
      await run('config', 'trust', command, file, ...limits)
    },
    async limitTrust(name, projects) {
      const list = JSON.parse(await run('config', 'trust', 'list', '--format=json')) as {
        name: string
        fingerprint: string
      }[]
      const { fingerprint = '' } = list.find((one) => one.name.startsWith(name)) ?? {}
      const body = JSON.stringify({ restricted: true, projects })
      await run('query', '--request=PATCH', '--data', body, `/1.0/certificates/${fingerprint}`)
    },
    run,
    start: startContainer,
    async launch(name, ...args) {
      const project = args.includes('--project') ? args[args.indexOf('--project') + 1] : undefined
      const inProject = project ?? 'default'
      await run('init', 'busybox', name, '--quiet', ...args)
      await startContainer(name, inProject)
      return await uuidOf(name, inProject)
    },
    uuidOf,
    async createBridge() {
      const name = `mi${randomBytes(5).toString('hex')}`
      const subnet = `10.${randomInt(200, 250)}.${randomInt(256)}`
      // There may be no firewall on this machine.
      const quiet = ['ipv4.nat=false', 'ipv4.firewall=false', 'ipv6.firewall=false']
      const addresses = [`ipv4.address=${subnet}.1/24`, 'ipv6.address=none']
      await run('network', 'create', name, ...addresses, ...quiet)
      bridges.push(name)
      return { name, subnet }
    },
    async fill(project, count) {
      const own = ['features.images=false', 'features.profiles=false']
      await run('project', 'create', project, ...own.flatMap((one) => ['--config', one]))
      const projectId = `(SELECT id FROM projects WHERE name = '${project}')`
      const instances = `SELECT id FROM instances WHERE project_id = ${projectId}`
      const hex = (bytes: number) => `lower(hex(randomblob(${bytes})))`
      await sql(`WITH RECURSIVE numbers(n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
        INSERT INTO instances (node_id, name, architecture, type, project_id, creation_date, description)
        SELECT 1, 'many-' || n, 2, 0, ${projectId}, '2026-01-01 00:00:00', '' FROM numbers`)
      await sql(`INSERT INTO instances_config (instance_id, key, value)
        SELECT id, 'volatile.uuid', ${[4, 2, 2, 2, 6].map(hex).join(" || '-' || ")} FROM (${instances})`)
      await sql(`INSERT INTO instances_profiles (instance_id, profile_id, apply_order)
        SELECT id, (SELECT min(id) FROM profiles WHERE name = 'default'), 1 FROM (${instances})`)
    },
    async turnIntoVirtualMachine(name) {
      await sql(`UPDATE instances SET type = 1 WHERE name = '${name}'`)
    },
    async initialize(preseed) {
      await call('incus', ['admin', 'init', '--preseed'], JSON.stringify(preseed))
    },
    async kill() {
      daemon.child.kill('SIGKILL')
      await daemon.exited
    },
    async restart() {
      daemon = await launchDaemon()
    },
    async stop() {
      // Containers survive the daemon.
      if (daemon.child.exitCode !== null || daemon.child.signalCode !== null) {
        daemon = await launchDaemon()
      }
      // These have no storage, and there may be many.
      await sql("DELETE FROM instances WHERE name LIKE 'many-%' OR type = 1")
      const listed = await run('list', '--all-projects', '--format=json')
      for (const { name, project } of JSON.parse(listed) as { name: string; project: string }[]) {
        await run('delete', '--force', name, '--project', project)
      }
      // Its DHCP server would survive the daemon.
      for (const name of bridges) await run('network', 'delete', name)
      await endDaemon()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Starts a daemon that joins the cluster of another one. Both have to be stopped, this one first. */
export async function joinCluster(first: TestIncus, name: string): Promise<TestIncus> {
  const second = await startIncus({ product: first.product, isPrepared: false })
  const output = await first.run('cluster', 'add', name)
  const preseed = {
    cluster: {
      enabled: true,
      server_address: new URL(second.tlsAddress).host,
      cluster_token: output.split('\n').at(-1),
      member_config: [{ entity: 'storage-pool', name: 'default', key: 'source', value: '' }],
    },
  }
  await second.initialize(preseed)
  return second
}
