import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { placementConfiguration, uwsgiArguments, type Place } from './configuration.ts'
import { freePort, patience, run, type Start } from './processes.ts'

/** Starts RabbitMQ from its unpacked package, with its data in the folder. */
async function startRabbitmq(
  { root, folder, ports }: Place,
  env: NodeJS.ProcessEnv,
  start: Start,
): Promise<void> {
  const erlang = join(root, 'usr/lib/erlang')
  // Erlang's launcher has the path of the installed package.
  const launcher = join(erlang, 'bin/erl')
  const text = readFileSync(launcher, 'utf8')
  const fixed = text.replace(/ROOTDIR=.*$/gm, `ROOTDIR="${erlang}"`)
  if (fixed !== text) writeFileSync(launcher, fixed)
  const lib = join(root, 'usr/lib/rabbitmq/lib')
  const version = readdirSync(lib).find((name) => name.startsWith('rabbitmq_server-')) ?? ''
  const home = join(folder, 'rabbitmq')
  mkdirSync(home)
  writeFileSync(join(home, 'enabled_plugins'), '[].\n')
  const epmd = await freePort()
  // Erlang's nodes find each other by it, also the only one.
  await start('epmd', 'epmd', ['-address', '127.0.0.1', '-port', String(epmd)], epmd)
  await start('rabbitmq', join(lib, version, 'sbin/rabbitmq-server'), [], ports.rabbitmq, {
    PATH: `${join(erlang, 'bin')}:${env['PATH']}`,
    HOME: home,
    ERL_EPMD_PORT: String(epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: 'muster@localhost',
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(ports.rabbitmq),
    RABBITMQ_DIST_PORT: String(await freePort()),
    RABBITMQ_MNESIA_BASE: join(home, 'mnesia'),
    RABBITMQ_LOG_BASE: home,
    RABBITMQ_LOGS: '-',
    RABBITMQ_PID_FILE: join(home, 'pid'),
    RABBITMQ_CONF_ENV_FILE: join(home, 'none'),
    RABBITMQ_CONFIG_FILE: join(home, 'none'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(home, 'enabled_plugins'),
  })
}

/**
 * Starts what boots servers: a message bus, placement, conductor, scheduler, and a compute service
 * with Nova's fake driver. Real Nova, fake hypervisor.
 */
export async function startCompute(
  place: Place,
  env: NodeJS.ProcessEnv,
  start: Start,
): Promise<void> {
  const { root, folder, ports } = place
  await startRabbitmq(place, env, start)
  writeFileSync(join(folder, 'placement.conf'), placementConfiguration(place))
  const file = join(folder, 'placement_wsgi.py')
  writeFileSync(
    file,
    'from placement.wsgi import init_application\napplication = init_application()\n',
  )
  await start(
    'placement',
    'uwsgi-core',
    uwsgiArguments(root, ports.placement, file),
    ports.placement,
    {
      OS_PLACEMENT_CONFIG_DIR: folder,
    },
  )
  const configuration = ['--config-file', join(folder, 'nova.conf')]
  for (const service of ['conductor', 'scheduler', 'compute']) {
    const code = `import sys; from nova.cmd.${service} import main; sys.exit(main())`
    await start(service, '/usr/bin/python3', ['-c', code, ...configuration])
  }
  const discover = 'import sys; from nova.cmd.manage import main; sys.exit(main())'
  // Fails while the compute service has not registered its host, which takes long on a busy machine.
  const command = ['cell_v2', 'discover_hosts', '--strict']
  const end = Date.now() + patience
  for (;;) {
    try {
      return await run(
        '/usr/bin/python3',
        ['-c', discover, ...configuration, ...command],
        folder,
        env,
      )
    } catch (error) {
      if (Date.now() > end) throw error
    }
  }
}
