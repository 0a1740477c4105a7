import type { TimedGet } from './timed-client.ts'

/** Queries over a whole fleet. Values are read from the fleet, so that they match at any size. */

const groups = ['provider', 'brand', 'region', 'zone', 'account', 'instance_type'] as const

async function readValues(timedGet: TimedGet) {
  const { body } = await timedGet(
    `/servers/statistics?scope=system&group_by=${groups.join('&group_by=')}`,
  )
  const { groups: counted } = JSON.parse(body.toString()) as {
    groups: Record<string, { value: string }[]>
  }
  const values = (name: (typeof groups)[number]) => (counted[name] ?? []).map(({ value }) => value)
  return {
    most: (name: (typeof groups)[number]) => values(name)[0] ?? '',
    /** The rarest value that the statistics list. */
    least: (name: (typeof groups)[number]) =>
      values(name).findLast((value) => value !== 'other') ?? '',
  }
}

async function readServer(timedGet: TimedGet, id: string) {
  const { body } = await timedGet(`/servers/${id}`)
  const { server } = JSON.parse(body.toString()) as {
    server: { id: string; name: string; ips: string; nics: { mac: string }[] }
  }
  return server
}

type Parameters = readonly (readonly [name: string, value: string])[]

const write = (parameters: Parameters) =>
  parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')

/** Filters on indexed fields, which match from 1 in 300 servers to most of them. */
export async function commonFilters(
  timedGet: TimedGet,
  projectId: string,
  serverId: string,
): Promise<readonly string[]> {
  const { most, least } = await readValues(timedGet)
  const { ips } = await readServer(timedGet, serverId)
  const network = `${/^\d+\.\d+\.\d+/.exec(ips)?.[0] ?? '10.0.0'}.0/24`
  const filters: readonly Parameters[] = [
    [['status', 'running']],
    [['status', 'ready']],
    [['status', 'deploy_fail']],
    [['provider', most('provider')]],
    [['brand', least('brand')]],
    [['os_type', 'Windows']],
    [['is_gpu', 'true']],
    [['region', most('region')]],
    [['zone', least('zone')]],
    [['account', most('account')]],
    [['project_id', projectId]],
    [['instance_type', most('instance_type')]],
    [['tags', 'env=prod']],
    [['ip', network]],
    [
      ['status', 'running'],
      ['provider', most('provider')],
    ],
  ]
  return filters.map(write)
}

/** All pairs of common filters, on columns with and without an index. */
export async function filterPairs(
  timedGet: TimedGet,
  projectId: string,
  serverId: string,
): Promise<readonly string[]> {
  const { most } = await readValues(timedGet)
  const { name } = await readServer(timedGet, serverId)
  const filters: Parameters = [
    ['status', 'running'],
    ['provider', most('provider')],
    ['project_id', projectId],
    ['region', most('region')],
    ['os_type', 'Linux'],
    ['tags', 'env=prod'],
    ['tags', 'env'],
    ['q', '-tag:env=prod'],
    ['search', 'web'],
    ['q', '-web'],
    ['q', 'we'],
    ['ip', '10.0.0.0/8'],
    ['q', '-ip:10.0.0.0/9'],
    ['filter', 'vcpu_count.ge(2)'],
    ['filter', 'disk_count.ge(2)'],
    ['created_since', '2020-01-01'],
    ['filter', "expired_at.gt('2020-01-01')"],
    ['is_gpu', 'false'],
    ['auto_renew', 'false'],
    ['name', name],
    ['filter', "name.contains('web')"],
  ]
  return filters.flatMap((first, at) =>
    filters.slice(at + 1).map((second) => {
      const [[name, value], [otherName, otherValue]] = [first, second]
      // The parameter q can be given only once.
      return write(
        name === 'q' && otherName === 'q' ? [['q', `${value} ${otherValue}`]] : [first, second],
      )
    }),
  )
}

export const sorts = ['created_at', 'name', 'status', 'updated_at'] as const

/** Queries that no index can answer. */
export const unindexedQueries: readonly string[] = [
  write([['bios', 'UEFI']]),
  write([['filter', "networks.contains('zz')"]]),
  write([['order_by', 'host']]),
  write([
    ['filter', "description.contains('archiv')"],
    ['order_by', 'os_name'],
  ]),
  write([['filter', "name.endswith('-07')"]]),
  write([['search', 'ab']]),
  write([['q', '-status:running disk>=500000 -os_type:Windows']]),
]

/** Rare and common search terms; the rare ones match one server. */
export async function searches(timedGet: TimedGet, id: string): Promise<readonly string[]> {
  const server = await readServer(timedGet, id)
  return [
    server.id.slice(0, 13),
    server.nics[0]?.mac ?? server.ips,
    server.ips.split(',')[0] ?? '',
    'größtes',
    'k8s',
    'web',
    'prod',
  ].map((text) => write([['search', text]]))
}

export const statistics: readonly string[] = [
  'group_by=status',
  'group_by=status&group_by=provider&group_by=region&group_by=os_type',
  'group_by=project',
  'group_by=instance_type',
  'group_by=metadata.env',
  'status=running&group_by=provider',
]
