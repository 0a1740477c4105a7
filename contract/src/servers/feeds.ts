import { Type, type Static } from 'typebox'
import { platformDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { asOf, several } from '../resources/list-operations.ts'
import { exactObject } from '../scalars.ts'
import {
  ansibleExample,
  hostsExample,
  prometheusExample,
  sshConfigExample,
} from './feed-examples.ts'
import { serverFilter } from './parameters.ts'

/** The most servers of a feed with host names: it remembers the names, so that each is unique. */
export const maxFeedHosts = 50_000

const address = Type.Optional(
  Type.Enum(['first', 'private', 'public'], {
    description:
      'Which address of a server: the first one of its NICs, or else the public one (`first`, the default), a private one or a public one. Servers without such an address are left out.',
  }),
)

const suffix = Type.Optional(
  Type.String({
    pattern: '^[.-][A-Za-z0-9][A-Za-z0-9_-]*([.][A-Za-z0-9_][A-Za-z0-9_-]*)*$',
    maxLength: 101,
    description:
      '`.` or `-` and a host name, such as `.vm.example.org`. It follows every host name. With it, no server name can stand for a host outside of it.',
  }),
)

export const PrometheusTargetsQuery = exactObject({
  port: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65_535,
      description: 'Port of the targets. Default: 9100.',
    }),
  ),
  address,
  ...serverFilter,
  as_of: asOf,
})
export type PrometheusTargetsQuery = Static<typeof PrometheusTargetsQuery>

export const HostFeedQuery = exactObject({ address, suffix, ...serverFilter, as_of: asOf })
export type HostFeedQuery = Static<typeof HostFeedQuery>

export const AnsibleInventoryQuery = exactObject({
  group_by: several(
    Type.String({ minLength: 1, maxLength: 320 }),
    'Field, or `metadata.<key>` for a tag. Default: `provider`, `region`, `project` and `status`.',
    8,
  ),
  ...HostFeedQuery.properties,
})
export type AnsibleInventoryQuery = Static<typeof AnsibleInventoryQuery>

const common = {
  method: 'GET',
  ...platformDefaults,
  tag: 'Feeds',
  acceptsAccessKey: true,
  permission: {
    service: 'compute',
    resource: 'servers',
    action: 'list',
    at: ['system', 'domain', 'project'],
  },
} as const

const selected =
  'Has all servers that `GET /servers` lists with the same filters, oldest first, without paging.'
const named = `A host is named like its server. If several visible servers have the name, whatever the filters, the beginning of the id follows it for all of them. So it does if the name has a meaning of its own (\`localhost\`) or ends like an id. Servers whose name has other characters than \`A-Z a-z 0-9 . _ -\` are left out. At most ${maxFeedHosts} servers: with more, filter.`

/** Responses depend on the credential, so no cache may share them. */
const headers = {
  'Cache-Control': '`private, no-cache`',
  Vary: '`X-Auth-Token, Authorization, Accept-Encoding`',
}

const plainText = 'text/plain; charset=utf-8'

const HostVariables = Type.Record(Type.String(), Type.Unknown())

/** All servers in the formats of other programs. */
export const feedOperations = [
  {
    id: 'exportPrometheusTargets',
    path: '/sd/prometheus',
    ...common,
    summary: 'Targets for Prometheus',
    description: `For \`http_sd_configs\` of Prometheus: one target per server, with labels \`__meta_muster_<field>\` and \`__meta_muster_tag_<prefix>_<key>\`. Tags with the prefix \`sys:\` are not included. ${selected}`,
    query: PrometheusTargetsQuery,
    responses: {
      200: {
        description: 'Targets',
        body: Type.Array(
          exactObject({
            targets: Type.Array(Type.String()),
            labels: Type.Record(Type.String(), Type.String()),
          }),
        ),
        headers,
        example: prometheusExample,
      },
    },
  },
  {
    id: 'exportAnsibleInventory',
    path: '/inventory/ansible',
    ...common,
    summary: 'Inventory for Ansible',
    description: `What an inventory script of Ansible prints for \`--list\`. Variables are \`muster_<field>\` and \`muster_tags\`. Their values are marked with \`__ansible_unsafe\`, so that Ansible does not run templates in them. Values with a line break are left out. Groups are \`<field>_<value>\` and \`tag_<key>_<value>\`, with \`_\` for \`-\`. A digest follows values with other characters, and projects of other domains than the default one, so that different values have different groups. \`_meta.left_out\` has the ids of servers that are left out. ${selected} ${named}`,
    query: AnsibleInventoryQuery,
    responses: {
      200: {
        description: 'Inventory',
        body: Type.Record(
          Type.String(),
          Type.Partial(
            exactObject({
              hosts: Type.Array(Type.String()),
              hostvars: Type.Record(Type.String(), HostVariables),
              left_out: Type.Record(Type.String(), Type.Array(Type.String())),
            }),
          ),
        ),
        headers,
        example: ansibleExample,
      },
    },
  },
  {
    id: 'exportSshConfig',
    path: '/inventory/ssh-config',
    ...common,
    summary: 'Configuration for OpenSSH',
    description: `A \`Host\` section per server, for \`Include\` in \`~/.ssh/config\`. ${selected} ${named} Comments name them and the reason.`,
    query: HostFeedQuery,
    responses: {
      200: {
        description: 'Sections of ssh_config',
        body: Type.String(),
        contentType: plainText,
        headers,
        example: sshConfigExample,
      },
    },
  },
  {
    id: 'exportHostsFile',
    path: '/inventory/hosts',
    ...common,
    summary: 'Hosts file',
    description: `Lines for \`/etc/hosts\`. ${selected} ${named} Comments name them and the reason.`,
    query: HostFeedQuery,
    responses: {
      200: {
        description: 'Lines of a hosts file',
        body: Type.String(),
        contentType: plainText,
        headers,
        example: hostsExample,
      },
    },
  },
] as const satisfies readonly Operation[]
