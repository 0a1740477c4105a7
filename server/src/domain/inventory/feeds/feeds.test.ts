import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Server } from '@muster/contract'
import { Value } from 'typebox/value'
import { formatAnsibleInventory } from './ansible-inventory.ts'
import { chooseAddress } from './choose-address.ts'
import type { FeedFormat, IsShared } from './feed-format.ts'
import { formatHostsFile, formatSshConfig } from './host-files.ts'
import { formatPrometheusTargets } from './prometheus-targets.ts'

const blank = Value.Create(Server)
let made = 0
/** A server with a unique id. */
const server = (fields: Partial<Server> = {}): Server => {
  made += 1
  const id = `${String(made).padStart(8, '0')}-0000-4000-8000-000000000000`
  return { ...blank, id, name: 'web', ips: '10.0.0.1', metadata: {}, ...fields }
}

const write = (
  { head, row, tail = () => [] }: FeedFormat,
  servers: readonly Server[],
  isShared: IsShared = () => false,
): string => [head, ...servers.map((one) => row(one, isShared)), ...tail()].join('')

const options = { address: 'first', suffix: '' } as const
const ansible = (
  servers: readonly Server[],
  ...names: ('region' | 'status' | 'project' | 'project_id')[]
) =>
  JSON.parse(
    write(
      formatAnsibleInventory({
        ...options,
        groups: [
          ...names.map((name) => ({ name, field: name })),
          { name: 'metadata.env', metadataKey: 'env' },
        ],
      }),
      servers,
    ),
  ) as { _meta: { hostvars: Record<string, Record<string, unknown>>; left_out: object } } & Record<
    string,
    { hosts: string[] }
  >
const prometheus = (servers: readonly Server[]) =>
  JSON.parse(write(formatPrometheusTargets({ address: 'first', port: 9100 }), servers)) as {
    targets: string[]
    labels: Record<string, string>
  }[]

const hostileNames = [
  'two\nlines',
  'a\r\nProxyCommand touch /tmp/owned',
  '-oProxyCommand=touch',
  '-v',
  '*',
  'web*',
  '!web',
  'a b',
  'web\tdb',
  '"web"',
  '# web',
  '{{ lookup("pipe", "id") }}',
  '{% raw %}',
  '$(id)',
  '`id`',
  'web;id',
  '../web',
  'web,db',
  'localhost.',
  'ip6-loopback.',
  '1.1.1.1.',
  'a..b',
  'a.-b',
  'wéb',
  '名字',
  '',
  '.',
  'a'.repeat(254),
]

const unsafe = (text: string) => ({ __ansible_unsafe: text })

const brokenValues = ['two\nlines', 'a\rb', 'a\u2028b', '\0']
const templates = [
  '{{ 7 * 7 }}',
  '{',
  '{% if true %}',
  '{# note #}',
  "#jinja2:variable_start_string:'[[',variable_end_string:']]',newline_sequence:'[[ 7*7 ]]'Z",
]

describe('hostile names and values in feeds', () => {
  test('ssh_config and hosts files have only safe names; others are comments with the id', () => {
    const hostile = hostileNames.map((name) => server({ name }))
    const good = server({ name: 'web-1.example_x' })
    const ssh = write(formatSshConfig(options), [...hostile, good]).split('\n')
    const hosts = write(formatHostsFile(options), [...hostile, good]).split('\n')
    const isComment = (line: string) => line === '' || line.startsWith('#')
    assert.deepEqual(
      ssh.filter((line) => !isComment(line)),
      ['Host web-1.example_x', '  HostName 10.0.0.1'],
    )
    assert.deepEqual(
      hosts.filter((line) => !isComment(line)),
      ['10.0.0.1 web-1.example_x'],
    )
    for (const { id } of hostile) {
      const comment = `# server ${id} is left out: name has characters that host names cannot have`
      assert.ok(ssh.includes(comment) && hosts.includes(comment), id)
    }
  })

  test('Ansible gets no such host, no value of several lines, and every text marked as unsafe', () => {
    const hostile = hostileNames.map((name) => server({ name }))
    const texts = [...brokenValues, ...templates]
    const tags = Object.fromEntries(texts.map((value, at) => [`user:v${at}`, value]))
    const keys = Object.fromEntries(texts.map((value) => [`user:${value}`, 'x']))
    const carriers = texts.map((value, at) => server({ name: `h${at}`, os_name: value }))
    const { hostvars, left_out } = ansible([
      ...hostile,
      ...carriers,
      server({ name: 'tagged', metadata: { ...tags, ...keys } }),
    ])._meta
    assert.deepEqual(left_out, { no_address: [], name: hostile.map(({ id }) => id) })
    assert.deepEqual(Object.keys(hostvars), [...carriers.map(({ name }) => name), 'tagged'])
    assert.deepEqual(
      carriers.map(({ name }) => hostvars[name]?.['muster_os_name']),
      [...brokenValues.map(() => undefined), ...templates.map(unsafe)],
    )
    assert.deepEqual(
      hostvars['tagged']?.['muster_tags'],
      Object.fromEntries(templates.map((text, at) => [`user:v${at + 4}`, unsafe(text)])),
    )
    for (const { ansible_host, muster_tags, ...fields } of Object.values(hostvars)) {
      assert.equal(ansible_host, '10.0.0.1')
      for (const value of [...Object.values(fields), ...Object.values(muster_tags as object)]) {
        assert.deepEqual(Object.keys(value as object), ['__ansible_unsafe'])
      }
    }
  })

  test('Ansible gets tags only below one variable, so that none is an option of its own', () => {
    const metadata = { 'user:ansible_connection': 'local', 'ext:__ansible_vault': 'x' }
    const { hostvars } = ansible([server({ name: 'h', metadata })])._meta
    assert.deepEqual(hostvars['h']?.['muster_tags'], {
      'user:ansible_connection': unsafe('local'),
      'ext:__ansible_vault': unsafe('x'),
    })
    assert.ok(!Object.keys(hostvars['h'] ?? {}).includes('ansible_connection'))
  })

  test('Prometheus gets valid label names, and no value with a line break or of Muster itself', () => {
    const metadata = {
      'user:a-b': 'first',
      'user:a_b': 'second',
      'user:grün "x"': 'y',
      'sys:synced_at': '2026-05-04T08:00:00.000000Z',
    }
    const [target] = prometheus([server({ name: 'two\nlines', metadata })])
    assert.deepEqual(target?.targets, ['10.0.0.1:9100'])
    const labels = target?.labels ?? {}
    for (const name of Object.keys(labels)) assert.match(name, /^__meta_muster_[A-Za-z0-9_]+$/)
    assert.equal(labels['__meta_muster_tag_user_a_b'], 'first')
    assert.equal(labels['__meta_muster_tag_user_gr_n__x_'], 'y')
    assert.ok(!('__meta_muster_name' in labels))
    assert.ok(!Object.keys(labels).some((name) => name.includes('sys_')))
  })
})

describe('host names in feeds', () => {
  const hostsOf = (names: readonly string[], suffix = '', shared: readonly string[] = []) =>
    write(
      formatHostsFile({ ...options, suffix }),
      names.map((name) => server({ name })),
      (name) => shared.includes(name),
    )
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(' ')[1])

  test('have a part of the id if servers share them, also if only one is in the feed', () => {
    made = 100
    assert.deepEqual(hostsOf(['web', 'Web', 'db'], '', ['web', 'Web']), [
      'web-00000101',
      'Web-00000102',
      'db',
    ])
    assert.deepEqual(hostsOf(['web'], '.vm', ['web']), ['web-00000104.vm'])
  })

  test('with a part of an id cannot be taken by a server of that name', () => {
    made = 200
    assert.deepEqual(hostsOf(['web-00000202', 'web', 'web-00000202'], '', ['web']), [
      'web-00000202-00000201',
      'web-00000202',
      'web-00000202-00000203',
    ])
    const [whole] = hostsOf(['web-00000204-0000-4000-8000-000000000000'])
    assert.equal(whole, 'web-00000204-0000-4000-8000-000000000000-00000204')
  })

  test('are unique even if a server is created meanwhile', () => {
    made = 250
    assert.deepEqual(hostsOf(['web', 'WEB']), ['web', 'WEB-00000252'])
    const same = server({ name: 'web' })
    const lines = write(
      formatHostsFile(options),
      [same, { ...same, id: `${same.id}0` }],
      () => true,
    )
    assert.match(lines, / web-00000253\n10\.0\.0\.1 web-00000253-0000-4000-8000-0000000000000\n$/)
  })

  test('do not replace names that have a meaning, or addresses', () => {
    made = 300
    assert.deepEqual(
      hostsOf([
        'localhost',
        'LOCALHOST',
        'a.localhost',
        'ip6-loopback',
        '10.0.0.9',
        'localhost4',
        'localhost6.localdomain6',
      ]),
      [
        'localhost-00000301',
        'LOCALHOST-00000302',
        'a.localhost-00000303',
        'ip6-loopback-00000304',
        '10.0.0.9-00000305',
        'localhost4-00000306',
        'localhost6.localdomain6-00000307',
      ],
    )
    assert.deepEqual(hostsOf(['localhost', 'github.com'], '.vm.test'), [
      'localhost.vm.test',
      'github.com.vm.test',
    ])
  })

  test('of Ansible are no names of groups', () => {
    made = 400
    const inventory = ansible(
      ['all', 'ungrouped', 'tag_env_prod', 'status_running'].map((name) =>
        server({ name, metadata: { 'ext:env': 'prod' } }),
      ),
      'status',
    )
    const aliases = [
      'all-00000401',
      'ungrouped-00000402',
      'tag_env_prod-00000403',
      'status_running-00000404',
    ]
    assert.deepEqual(inventory['all']?.hosts, aliases)
    assert.deepEqual(inventory['tag_env_prod']?.hosts, aliases)
  })

  test('Ansible groups by fields and tags, and leaves out servers without an address', () => {
    made = 500
    const inventory = ansible(
      [
        server({
          name: 'a',
          region: 'eu-central-1',
          metadata: { 'ext:env': 'x', 'user:env': 'prod' },
        }),
        server({ name: 'b', region: '华北' }),
        server({ name: 'c', ips: '' }),
      ],
      'region',
    )
    assert.deepEqual(Object.keys(inventory), [
      '_meta',
      'all',
      'region_eu_central_1',
      'tag_env_prod',
      'region___ec28fe10a1f23995',
    ])
    assert.deepEqual(inventory['all']?.hosts, ['a', 'b'])
    assert.deepEqual(inventory['region_eu_central_1']?.hosts, ['a'])
    const { hostvars, left_out } = inventory._meta
    assert.deepEqual(hostvars['b']?.['muster_region'], unsafe('华北'))
    assert.deepEqual(left_out, { no_address: ['00000503-0000-4000-8000-000000000000'], name: [] })
  })
})

describe('groups of Ansible', () => {
  const groupsOf = (
    servers: readonly Server[],
    ...names: ('project' | 'project_id' | 'region')[]
  ) => {
    const { _meta, all: _all, ...groups } = ansible(servers, ...names)
    return Object.entries(groups).map(([name, { hosts }]) => [name, hosts.length] as const)
  }

  test('have one value each, whatever its characters', () => {
    const regions = ['a-b', 'a_b', 'a b', 'a--b', 'AWS EU (Frankfurt)', 'Büro', '北京', '上海']
    const groups = groupsOf(
      [...regions, ...regions].map((region) => server({ region })),
      'region',
    )
    assert.equal(new Set(groups.map(([name]) => name)).size, regions.length)
    for (const [name, size] of groups) {
      assert.match(name, /^region_\w+$/)
      assert.equal(size, 2, name)
    }
    assert.deepEqual(groups[0], ['region_a_b', 2])
  })

  test('cannot be joined by a value that looks like the name of a group', () => {
    const name = groupsOf([server({ region: 'a b' })], 'region')[0]?.[0] ?? ''
    assert.match(name, /^region_a_b_[0-9a-f]{16}$/)
    const forged = name.replace('region_', '').replaceAll('_', '-')
    assert.equal(
      groupsOf(
        ['a b', forged].map((region) => server({ region })),
        'region',
      ).length,
      2,
    )
  })

  test('of projects have one domain, and are no groups of ids', () => {
    const own = { project: 'web', domain_id: 'default', project_domain: 'Default' }
    const groups = groupsOf(
      [
        own,
        { ...own, domain_id: 'd', project_domain: 'Other' },
        { ...own, project: 'Other\tweb' },
      ].map(server),
      'project',
    )
    assert.equal(groups.length, 3)
    assert.deepEqual(groups[0], ['project_web', 1])
    const mixed = groupsOf(
      [server({ ...own, project: 'id-1' }), server({ ...own, project_id: '1' })],
      'project',
      'project_id',
    )
    assert.deepEqual(
      mixed.map(([, size]) => size),
      [1, 1, 1],
    )
  })

  test('come from the tags of a server only', () => {
    const format = formatAnsibleInventory({
      ...options,
      groups: ['constructor', '__proto__'].map((key) => ({ name: key, metadataKey: key })),
    })
    const inventory = JSON.parse(write(format, [server()])) as object
    assert.deepEqual(Object.keys(inventory), ['_meta', 'all'])
  })
})

describe('addresses in feeds', () => {
  const choose = (ips: string, eip = '') =>
    (['first', 'private', 'public'] as const).map((choice) => chooseAddress({ ips, eip }, choice))

  test('are the first, a private or a public one', () => {
    assert.deepEqual(choose('10.0.0.1,fd00::1', '203.0.113.9'), [
      '10.0.0.1',
      '10.0.0.1',
      '203.0.113.9',
    ])
    assert.deepEqual(choose('8.8.8.8,192.168.0.1'), ['8.8.8.8', '192.168.0.1', '8.8.8.8'])
    assert.deepEqual(choose('', '8.8.8.8'), ['8.8.8.8', undefined, '8.8.8.8'])
    assert.deepEqual(choose('2001:4860:0:0::8888'), [
      '2001:4860::8888',
      undefined,
      '2001:4860::8888',
    ])
  })

  test('are never those of the client itself, nor texts that are no address', () => {
    for (const ips of [
      '127.0.0.1',
      '::1',
      '::ffff:127.0.0.1',
      '0.0.0.0',
      '169.254.169.254',
      'fe80::1',
      'fe80::1%eth0',
      '224.0.0.1',
      '255.255.255.255',
      'evil.example',
      '10',
      '0x7f.1',
      '10.0.0.1\n10.0.0.2',
      '10.0.0.1 ProxyCommand=x',
      '',
    ]) {
      assert.deepEqual(choose(ips), [undefined, undefined, undefined], ips)
    }
  })

  test('of IPv6 have brackets in targets', () => {
    assert.deepEqual(
      prometheus([server({ ips: 'fd00::1' }), server({ ips: '' })]).map(({ targets }) => targets),
      [['[fd00::1]:9100']],
    )
  })
})
