import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { ask } from '../../server/src/testing/client.ts'
import { createKeyHolders } from '../../server/src/testing/identity-world/access-key-holders.ts'
import { minimalServer } from '../../server/src/testing/inventory-world/minimal-server.ts'
import { projectAt } from '../../server/src/testing/inventory-world/server-responses.ts'
import { startInventoryWorld } from '../../server/src/testing/inventory-world/start-inventory-world.ts'
import { suiteLifetime, temporaryFolder } from '../../server/src/testing/spawn-muster.ts'
import { startPrometheus } from '../prometheus/start.ts'
import { installPython } from '../python-environment.ts'

/** Not synchronously: Muster runs in this process. */
async function run(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const { stdout } = await promisify(execFile)(program, args, {
    env: { ...process.env, ...env },
    timeout: 60_000,
  })
  return stdout
}

const nic = (ip_addr: string, ip6_addr = '') => ({
  ip_addr,
  ip6_addr,
  mac: '',
  team_with: '',
  network_id: 'n',
  vpc_id: '',
  is_exit: false,
})

describe('feeds in the programs that read them', () => {
  const lifetime = suiteLifetime()
  const folder = temporaryFolder(lifetime)
  const marker = join(folder, 'owned')
  const file = (name: string) => join(folder, name)
  let url: string
  let attack: string
  let header: string
  let key: { id: string; secret: string }
  let ids: readonly string[]

  before(async () => {
    const fleet = await startInventoryWorld('sqlite', { servers: 0 })
    lifetime.after(() => fleet.platform.close())
    ;({ url } = fleet)
    const { id: projectId } = projectAt(fleet, 0)
    attack = `{{ lookup('pipe', 'touch ${marker}') }}`
    // Ansible up to 2.18 reads other delimiters from a text that begins like this.
    header = `#jinja2:variable_start_string:'[[',variable_end_string:']]',newline_sequence:'[[ cycler.__init__.__globals__.os.popen("touch ${marker}").read() ]]'Z`
    const servers = [
      ['web', nic('10.0.0.1'), { env: 'prod', attack, header, 'a-b': '"\\ü' }],
      ['web', nic('10.0.0.2'), { env: 'two\nlines' }],
      ['v6', nic('', 'fd00::6'), { ansible_connection: 'local' }],
      [`x\n  ProxyCommand touch ${marker}`, nic('10.0.0.3'), {}],
      ['localhost', nic('10.0.0.4'), {}],
      [attack, nic('10.0.0.5'), {}],
      ['tag_env_prod', nic('10.0.0.6'), {}],
      ['lost', nic(''), {}],
    ] as const
    const facts = servers.map(([name, only, tags], at) =>
      minimalServer(projectId, {
        name,
        nics: [only],
        tags,
        created_at: `2026-05-04T08:00:0${at}.000000Z`,
      }),
    )
    await fleet.record(facts)
    ids = facts.map(({ id }) => id.slice(0, 8))
    const holders = createKeyHolders(fleet.platform)
    key = await holders.makeKey(fleet.callers.owner.token, { project_id: projectId })
  })

  async function download(path: string, name: string): Promise<string> {
    const authorization = `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`
    const { status, text } = await ask(url, path, { headers: { authorization } })
    assert.equal(status, 200, text)
    writeFileSync(file(name), text)
    return file(name)
  }

  test('Prometheus discovers the targets with their labels', async () => {
    const prometheus = await startPrometheus(
      lifetime,
      JSON.stringify({
        scrape_configs: [
          {
            job_name: 'fleet',
            scrape_interval: '1s',
            scrape_timeout: '1s',
            http_sd_configs: [
              {
                url: `${url}/sd/prometheus?status=running&port=9`,
                basic_auth: { username: key.id, password: key.secret },
                refresh_interval: '1s',
              },
            ],
            relabel_configs: [
              { action: 'labelmap', regex: '__meta_muster_(name|provider|tag_.+_(?:env|a_b))' },
            ],
          },
        ],
      }),
    )
    await eventually('all are scraped', async () => (await prometheus.query('up')).length === 7)
    const found = await prometheus.query('up')
    const web = found.find(({ metric }) => metric['instance'] === '10.0.0.1:9')
    assert.deepEqual(web?.metric, {
      __name__: 'up',
      instance: '10.0.0.1:9',
      job: 'fleet',
      name: 'web',
      provider: 'Aws',
      tag_ext_env: 'prod',
      tag_ext_a_b: '"\\ü',
    })
    assert.ok(found.some(({ metric }) => metric['instance'] === '[fd00::6]:9'))
  })

  test('Ansible reads the inventory by the script of the documentation, and runs nothing in it', async () => {
    const { hostname } = new URL(url)
    writeFileSync(file('.netrc'), `machine ${hostname} login ${key.id} password ${key.secret}\n`)
    const script = file('muster.sh')
    const query = 'group_by=provider&group_by=metadata.env'
    writeFileSync(
      script,
      `#!/bin/sh\nexec curl --silent --show-error --fail --netrc '${url}/inventory/ansible?${query}'\n`,
      { mode: 0o700 },
    )
    for (const requirements of ['ansible-2.17.txt', 'ansible-2.19.txt']) {
      const python = installPython('ansible', join(import.meta.dirname, requirements))
      const ansible = (name: string, ...args: readonly string[]) =>
        run(python, [join(dirname(python), name), '-i', script, ...args], {
          HOME: folder,
          ANSIBLE_LOCALHOST_WARNING: 'false',
        })
      const inventory = JSON.parse(await ansible('ansible-inventory', '--list')) as Record<
        string,
        { hosts?: string[]; hostvars?: Record<string, Record<string, unknown>> }
      >
      const hosts = [
        `web-${ids[0]}`,
        `web-${ids[1]}`,
        'v6',
        `localhost-${ids[4]}`,
        `tag_env_prod-${ids[6]}`,
      ]
      assert.deepEqual(inventory['provider_Aws']?.hosts, hosts)
      assert.deepEqual(inventory['tag_env_prod']?.hosts, [hosts[0]])
      const variables = inventory['_meta']?.hostvars ?? {}
      assert.deepEqual(Object.keys(variables).toSorted(), hosts.toSorted())
      assert.equal(variables[`web-${ids[0]}`]?.['ansible_host'], '10.0.0.1')

      // Prints each variable of each host, which runs all templates in them.
      const printed = await ansible(
        'ansible',
        'all',
        '-m',
        'debug',
        '-a',
        'var=hostvars[inventory_hostname]',
      )
      assert.equal(printed.match(/SUCCESS/g)?.length, hosts.length)
      for (const value of ['"\\ü', attack, header]) {
        assert.ok(printed.includes(`: ${JSON.stringify(value)}`), `${requirements}: ${value}`)
      }
      assert.ok(!existsSync(marker))
    }
  })

  test('ssh reads its configuration, with nothing in it but addresses', async () => {
    const config = await download('/inventory/ssh-config', 'ssh_config')
    const optionsOf = async (alias: string) =>
      new Map(
        (await run('ssh', ['-G', '-F', config, alias]))
          .split('\n')
          .map((line) => line.split(' ', 2) as [string, string]),
      )
    assert.equal((await optionsOf(`web-${ids[0]}`)).get('hostname'), '10.0.0.1')
    assert.equal((await optionsOf(`web-${ids[1]}`)).get('hostname'), '10.0.0.2')
    assert.equal((await optionsOf('v6')).get('hostname'), 'fd00::6')
    assert.equal((await optionsOf('localhost')).get('hostname'), 'localhost')
    const plain = await optionsOf('unknown')
    for (const alias of [`web-${ids[0]}`, 'v6', 'x']) {
      const options = await optionsOf(alias)
      assert.ok(!options.has('proxycommand'), alias)
      assert.deepEqual([...options.keys()], [...plain.keys()])
    }
  })

  test('the resolver of the system reads the hosts file', async () => {
    const hosts = await download('/inventory/hosts?suffix=.vm.test', 'hosts')
    const resolve = async (name: string) => {
      const printed = await run('unshare', [
        '--mount',
        'sh',
        '-c',
        'mount --bind "$0" /etc/hosts && getent -s files hosts "$1"',
        hosts,
        name,
      ])
      return printed.split(/\s+/)[0]
    }
    assert.equal(await resolve(`web-${ids[0]}.vm.test`), '10.0.0.1')
    assert.equal(await resolve(`web-${ids[1]}.vm.test`), '10.0.0.2')
    assert.equal(await resolve('v6.vm.test'), 'fd00::6')
    await assert.rejects(resolve('web'))
    await assert.rejects(resolve('lost.vm.test'))
  })
})
