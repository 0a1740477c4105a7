/**
 * What Cloudpods' clients can put into the query of a list (climc's `server-list`, and its
 * console), and what Muster makes of it. Nothing is silently ignored: each of them does what it did
 * there, or is refused, unless its value changes nothing anyway.
 */
export type CloudpodsParameter =
  /** Another word for one of Muster's own parameters. */
  | { readonly means: 'same'; readonly as: string }
  /** A flag that stands for a filter, or for none. */
  | { readonly means: 'filter'; readonly true?: string; readonly false?: string }
  /** A flag that stands for a parameter of Muster's own, with this value. */
  | { readonly means: 'setting'; readonly of: 'scope' | 'pending_delete'; readonly to: string }
  /** Sorts by a field, in the direction that is its value. */
  | { readonly means: 'order'; readonly by: string }
  /** Muster always does what it asks for. */
  | { readonly means: 'nothing'; readonly because: string }
  /** Not offered; a flag that says no, and an empty text, change nothing. */
  | { readonly means: 'refused'; readonly takes: 'flag' | 'text'; readonly because: string }

const same = (as: string) => ({ means: 'same', as }) as const
const filter = (yes?: string, no?: string) =>
  ({ means: 'filter', ...(yes && { true: yes }), ...(no && { false: no }) }) as const
const setting = <const To extends string>(of: 'scope' | 'pending_delete', to: To) =>
  ({ means: 'setting', of, to }) as const
const order = (by: string) => ({ means: 'order', by }) as const
const nothing = (because: string) => ({ means: 'nothing', because }) as const
const refusedFlag = (because: string) => ({ means: 'refused', takes: 'flag', because }) as const
const refusedText = (because: string) => ({ means: 'refused', takes: 'text', because }) as const

const noTags = 'projects and domains have no tags here'
const noOrganizations = 'there are no organisations here'

/** Those that say which servers. */
export const cloudpodsFilters = {
  admin: setting('scope', 'system'),
  baremetal: filter("host_type.equals('baremetal')"),
  cloudaccount: same('account'),
  cloudprovider: same('manager'),
  custom_dev_type: refusedText('devices cannot be filtered by'),
  delete: refusedText('those that are gone are listed apart: `deleted=true`'),
  delete_all: refusedFlag('those that are gone are listed apart: `deleted=true`'),
  domain_organizations: refusedText(noOrganizations),
  domain_tags: refusedText(noTags),
  eip_associable: refusedFlag('public addresses are not assigned here'),
  gpu: filter('is_gpu.equals(true)', 'is_gpu.equals(false)'),
  group: refusedText('there are no instance groups here'),
  ip_addr: same('ip'),
  ip_addrs: same('ip'),
  is_managed: filter("provider.notequals('OneCloud')", "provider.equals('OneCloud')"),
  is_on_premise: filter("cloud_env.equals('onpremise')"),
  joint_filter: refusedText('there are no joint tables here: use `filter`'),
  network: refusedText('networks cannot be filtered by: use `ip` or `vpc`'),
  no_domain_tags: refusedText(noTags),
  no_project_tags: refusedText(noTags),
  os_arch: refusedText('the architecture is not kept here'),
  pending_delete_all: setting('pending_delete', 'all'),
  private_cloud: filter("cloud_env.equals('private')"),
  project_ids: same('project_id'),
  project_organizations: refusedText(noOrganizations),
  project_tags: refusedText(noTags),
  public_cloud: filter("cloud_env.equals('public')"),
  resource_type: refusedText('it is not kept here'),
  scaling_group: refusedText('use `scaling_group_id`'),
  server_type: refusedText('use `is_gpu`'),
  show_emulated: filter(undefined, 'is_emulated.equals(false)'),
  system: filter(undefined, 'is_system.equals(false)'),
  usable_server_for_eip: refusedText('public addresses are not assigned here'),
  usb: refusedFlag('devices cannot be filtered by'),
  user: refusedText('a server belongs to a project, not to a user'),
  vpc_provider: refusedText('use `provider`'),
  wire: refusedText('wires are not kept here'),
  with_eip: filter('eip.isnotempty()'),
  with_host: filter('host_id.isnotempty()', 'host_id.isempty()'),
  with_user_meta: refusedText('use `tags`'),
  without_eip: filter('eip.isempty()'),
  without_user_meta: refusedFlag('use `tags`'),
} as const satisfies Readonly<Record<string, CloudpodsParameter>>

/** Those that say which page of them, and what of each. */
export const cloudpodsPaging = {
  export_keys: same('field'), // In one text, with commas between them.
  export_limit: refusedText('a CSV or NDJSON holds them all: `format=csv`'),
  export_texts: refusedText('the columns of a CSV are called as the fields are'),
  meta: same('with_meta'),
  order_by_disk: order('disk'),
  order_by_host: order('host'),
  order_by_ip: refusedText('addresses cannot be sorted by'),
  order_by_network: refusedText('networks cannot be sorted by'),
  order_by_os_dist: order('os_name'),
  order_by_tag: refusedText('tags cannot be sorted by'),
  paging_marker: same('marker'),
  paging_order: refusedText('use `order`'),
  show_fail_reason: nothing('the full object always says why'),
  summary_stats: refusedFlag(
    'a list holds nothing but `limit`, `offset`, `servers` and `total`: ask `/servers/statistics`',
  ),
} as const satisfies Readonly<Record<string, CloudpodsParameter>>
