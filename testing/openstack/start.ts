import { randomUUID } from 'node:crypto'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { once } from 'node:events'
import { startTcpProxy, type TcpProxy } from '../../server/src/testing/tcp-proxy.ts'
import {
  databaseUrl,
  keystoneConfiguration,
  mariadbArguments,
  novaConfiguration,
  transportUrl,
  uwsgiArguments,
  type Ports,
} from './configuration.ts'
import { startCompute } from './compute.ts'
import { copyDatabases } from './databases.ts'
import { installOpenStack } from './install.ts'
import { createKeystone, type TestKeystone } from './keystone.ts'
import { freePort, launch, type Start } from './processes.ts'
import { startStubs, type StubPort, type StubState } from './stub.ts'
import { flavors, images, networks, securityGroups, zones } from './world.ts'

interface NewServer {
  readonly name: string
  readonly project?: string
  /** The number of networks it is connected to. */
  readonly networks?: number
  readonly floating?: boolean
  readonly groups?: readonly string[]
  readonly volumes?: readonly object[]
  /** Further arguments of `add` in fleet.py. */
  readonly [argument: string]: unknown
}

export interface TestOpenStack {
  readonly authUrl: string
  readonly ports: Ports
  readonly folder: string
  readonly keystone: TestKeystone
  /** What the stubs of Neutron and Cinder serve. */
  readonly stubs: StubState
  /** Between Nova and the database of its cell of servers. */
  readonly cell: TcpProxy
  /** Adds a server as it is after its boot, and returns its id. */
  add(server: NewServer): Promise<string>
  /** Kills the API of Nova, and starts it again. */
  restartNova(): Promise<void>
  /** Calls a function of fleet.py. */
  order<Result>(call: string, args: object): Promise<Result>
  stop(): Promise<void>
}

const wsgi = {
  keystone: 'from keystone.server.wsgi import initialize_public_application as start\n',
  nova: 'from nova.api.openstack.compute.wsgi import init_application as start\n',
}

/** Where in a network the next port is. */
const addressIn = (cidr: string, number: number) =>
  cidr.includes(':')
    ? cidr.replace(/::\/\d+$/, `::${(number + 16).toString(16)}`)
    : cidr.replace(/0\.0\/\d+$/, `${Math.floor((number + 16) / 250)}.${((number + 16) % 250) + 1}`)

async function choosePorts(): Promise<Ports> {
  const names = [
    'keystone',
    'nova',
    'mariadb',
    'memcached',
    'network',
    'volume',
    'image',
    'placement',
    'rabbitmq',
  ]
  const entries: [string, number][] = []
  for (const name of names) entries.push([name, await freePort()])
  return Object.fromEntries(entries) as unknown as Ports
}

/**
 * Starts Debian's Keystone and Nova API with a MariaDB of their own, and stubs of Neutron, Cinder and
 * Glance. With `compute`, also RabbitMQ, placement, conductor, scheduler and a compute service with
 * Nova's fake driver. Without it, servers are rows that Nova's own objects write.
 */
export async function startOpenStack({ compute = false } = {}): Promise<TestOpenStack> {
  const closing: (() => unknown)[] = []
  const close = async () => {
    const errors: unknown[] = []
    // An error must not leave the other processes running.
    for (const one of closing.toReversed()) {
      try {
        await one()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'OpenStack did not stop cleanly.')
  }
  try {
    return { ...(await startParts(compute, closing)), stop: close }
  } catch (error) {
    await close()
    throw error
  }
}

async function startParts(
  compute: boolean,
  closing: (() => unknown)[],
): Promise<Omit<TestOpenStack, 'stop'>> {
  const { root, env } = installOpenStack({ compute })
  const folder = mkdtempSync(join(tmpdir(), 'muster-openstack-'))
  const ports = await choosePorts()
  const place = { folder, root, ports, compute }
  closing.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const stubs: StubState = { ports: new Map(), volumes: new Map(), failing: new Map() }

  await copyDatabases(root, env, folder)
  mkdirSync(join(folder, 'policy.d'))
  mkdirSync(join(folder, 'nova'))
  writeFileSync(join(folder, 'keystone.conf'), keystoneConfiguration(place))
  writeFileSync(join(folder, 'nova.conf'), novaConfiguration(place))
  const start: Start = async (name, program, args, port, more = {}) => {
    const launched = { name, program, args, folder, env: { ...env, ...more } }
    const daemon = await launch({ ...launched, ...(port !== undefined && { port }) })
    closing.push(daemon.kill)
    return daemon
  }
  const startWsgi = (name: 'keystone' | 'nova', settings: NodeJS.ProcessEnv) => {
    const file = join(folder, `${name}_wsgi.py`)
    writeFileSync(file, `${wsgi[name]}application = start()\n`)
    return start(name, 'uwsgi-core', uwsgiArguments(root, ports[name], file), ports[name], settings)
  }
  const { stop: stopStubs } = await startStubs(ports, stubs)
  closing.push(stopStubs)
  await start(
    'mariadb',
    'mariadbd',
    mariadbArguments(root, join(folder, 'mysql'), ports.mariadb),
    ports.mariadb,
  )
  const memory = [
    '-u',
    'root',
    '-l',
    '127.0.0.1',
    '-p',
    String(ports.memcached),
    '-U',
    '0',
    '-m',
    '64',
  ]
  await start('memcached', 'memcached', memory, ports.memcached)

  const fleet = spawn(
    '/usr/bin/python3',
    ['-B', join(import.meta.dirname, 'fleet.py'), join(folder, 'nova.conf')],
    {
      env,
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  )
  const fleetExited = once(fleet, 'exit')
  closing.push(() => {
    fleet.stdin.end()
    return fleetExited
  })
  let complaints = ''
  fleet.stderr.on(
    'data',
    (chunk: Buffer) => (complaints = `${complaints}${chunk.toString()}`.slice(-4_000)),
  )
  const lines = createInterface(fleet.stdout)[Symbol.asyncIterator]()
  let last: Promise<unknown> = lines.next()
  const order = <Result>(call: string, args: object): Promise<Result> => {
    const turn = last.then(async () => {
      fleet.stdin.write(`${JSON.stringify({ call, ...args })}\n`)
      const { done, value } = await lines.next()
      if (done === true) throw new Error(`fleet.py ended:\n${complaints}`)
      const { result, error } = JSON.parse(value) as { result: Result; error?: string }
      if (error !== undefined) throw new Error(`${call}: ${error}`)
      return result
    })
    last = turn.catch(() => {})
    return turn
  }
  const cell = await startTcpProxy(
    { after: (stop) => void closing.push(stop) },
    { host: '127.0.0.1', port: ports.mariadb },
  )
  const prepared = order('prepare', {
    transport: transportUrl(place),
    database: databaseUrl(ports, 'nova_cell0'),
    cell_database: databaseUrl({ mariadb: cell.port }, 'nova'),
    flavors,
    zones,
  })
  await Promise.all([
    startWsgi('keystone', { OS_KEYSTONE_CONFIG_FILES: join(folder, 'keystone.conf') }),
    prepared,
  ])
  const authUrl = `http://127.0.0.1:${ports.keystone}/v3`
  const keystone = await createKeystone(authUrl, ports)
  const startNova = () =>
    startWsgi('nova', {
      OS_NOVA_CONFIG_FILES: `${root}/usr/share/nova-common/api-paste.ini;${folder}/nova.conf`,
    })
  let nova = await startNova()
  // A worker accepts connections before it has loaded Nova.
  await keystone.waitForNova()
  if (compute) await startCompute(place, env, start)

  let count = 0
  function addPort(
    server: { id: string },
    network: (typeof networks)[number],
    floating: boolean,
    groups: readonly string[],
  ): StubPort {
    const number = (count += 1)
    const id = randomUUID()
    const port: StubPort = {
      id,
      device_id: server.id,
      network_id: network.id,
      network_name: network.name,
      mac_address: `fa:16:3e:00:${Buffer.from([number >> 8, number & 255])
        .toString('hex')
        .replace(/^(..)/, '$1:')}`,
      fixed_ips: network.subnets.map((subnet) => ({
        subnet_id: subnet.id,
        ip_address: addressIn(subnet.cidr, number),
        cidr: subnet.cidr,
        gateway: subnet.gateway_ip,
      })),
      ...(floating && { floating_ip: `203.0.113.${number % 250}` }),
      security_groups: securityGroups
        .filter(({ name }) => groups.includes(name))
        .map((group) => group.id),
    }
    return port
  }

  return {
    authUrl,
    ports,
    folder,
    keystone,
    stubs,
    cell,
    order,
    async restartNova() {
      await nova.kill()
      nova = await startNova()
      await keystone.waitForNova()
    },
    async add({
      project = 'demo',
      networks: cards = 1,
      floating = false,
      groups = ['default'],
      volumes = [],
      ...rest
    }) {
      const owner = { project: keystone.projects[project], user: keystone.users[project] }
      const made = networks
        .slice(0, cards)
        .map((network, at) => addPort({ id: '' }, network, floating && at === 0, groups))
      const volumeIds = volumes.map(() => randomUUID())
      const id = await order<string>('add', {
        image: images[0]?.id,
        ...rest,
        ...owner,
        ports: made,
        volumes: volumeIds,
      })
      for (const [at, volume] of volumes.entries()) {
        const device = `/dev/vd${'abcdefgh'[rest['boots_from_volume'] === true ? at : at + 1]}`
        const attached = { id: volumeIds[at] ?? '', attachments: [{ server_id: id, device }] }
        stubs.volumes.set(attached.id, { ...volume, ...attached })
      }
      for (const port of made) stubs.ports.set(port.id, { ...port, device_id: id })
      return id
    },
  }
}
