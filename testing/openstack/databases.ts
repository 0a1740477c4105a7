import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  keystoneConfiguration,
  mariadbArguments,
  novaConfiguration,
  type Ports,
} from './configuration.ts'
import { freePort, launch, run } from './processes.ts'

/** Nova has no command without its package's scripts, so its main functions are called. */
const novaManage = 'import sys; from nova.cmd.manage import main; sys.exit(main())'
const keystoneManage = 'import sys; from keystone.cmd.manage import main; main()'

/** Creates the empty databases. The second cell of Nova gets the tables of the first. */
const createDatabases = `
import pymysql, sys
cursor = pymysql.connect(host='127.0.0.1', port=int(sys.argv[1]), user='root').cursor()
for name in ('keystone', 'nova_api', 'nova', 'nova_cell0', 'placement'):
    cursor.execute('create database if not exists ' + name)
if sys.argv[2:] == ['copy']:
    cursor.execute('show tables from nova')
    for (table,) in cursor.fetchall():
        cursor.execute(f'create table nova_cell0.{table} like nova.{table}')
    cursor.execute('insert into nova_cell0.alembic_version select * from nova.alembic_version')
    cursor.execute('commit')
`

/**
 * Builds the databases of Keystone and Nova with the programs of OpenStack, once per version: it takes
 * longer than all else. Each back end starts with a copy.
 */
export async function copyDatabases(
  root: string,
  env: NodeJS.ProcessEnv,
  folder: string,
): Promise<void> {
  const template = `${root}-databases`
  if (!existsSync(template)) await build(root, env, template)
  cpSync(template, folder, { recursive: true })
}

async function build(root: string, env: NodeJS.ProcessEnv, template: string): Promise<void> {
  const folder = mkdtempSync(`${template}-building-`)
  const data = join(folder, 'mysql')
  mkdirSync(data)
  const mariadb = await freePort()
  // The other services do not run yet.
  const ports = { mariadb, memcached: 0, keystone: 0 } as Ports
  const place = { folder, root, ports, compute: false }
  writeFileSync(join(folder, 'keystone.conf'), keystoneConfiguration(place))
  writeFileSync(join(folder, 'nova.conf'), novaConfiguration(place))
  const python = (...args: readonly string[]) =>
    run('/usr/bin/python3', ['-c', ...args], folder, env)
  const args = mariadbArguments(root, data, mariadb)
  const daemon = await launch({
    name: 'mariadb',
    program: 'mariadbd',
    args,
    folder,
    env,
    port: mariadb,
  })
  try {
    await python(createDatabases, String(mariadb))
    const keystone = (...command: readonly string[]) =>
      python(keystoneManage, '--config-file', `${folder}/keystone.conf`, ...command)
    const nova = (...command: readonly string[]) =>
      python(novaManage, '--config-file', `${folder}/nova.conf`, ...command)
    await Promise.all([
      (async () => {
        await keystone('db_sync')
        for (const [name, command] of [
          ['keys', 'fernet_setup'],
          ['credential-keys', 'credential_setup'],
        ] as const) {
          mkdirSync(join(folder, name))
          await keystone(command, '--keystone-user', 'root', '--keystone-group', 'root')
        }
        const password = ['--bootstrap-password', 'admin-password']
        await keystone('bootstrap', ...password, '--bootstrap-region-id', 'RegionOne')
      })(),
      nova('api_db', 'sync'),
      (async () => {
        await nova('db', 'sync', '--local_cell')
        await python(createDatabases, String(mariadb), 'copy')
      })(),
    ])
  } finally {
    await daemon.stop()
  }
  try {
    renameSync(folder, template)
  } catch (error) {
    rmSync(folder, { recursive: true })
    // Another test may have finished first.
    if (!existsSync(template)) throw error
  }
}
