/**
 * What Muster does with the query parameters of Cloudpods' clients (climc's `server-list` and its console).
 * Nothing is silently ignored: each has the same effect as in Cloudpods, or it is an error.
 */
export type CloudpodsParameter =
  /** An alias of one of Muster's parameters. */
  | { readonly means: 'same'; readonly as: string }
  /** A boolean that stands for a filter. */
  | { readonly means: 'filter'; readonly true?: string; readonly false?: string }
  /** A boolean that stands for a value of one of Muster's parameters. */
  | { readonly means: 'setting'; readonly of: 'scope' | 'pending_delete'; readonly to: string }
  /** Sorts by a field. The value is the direction. */
  | { readonly means: 'order'; readonly by: string }
  /** Muster always does what it requests. */
  | { readonly means: 'nothing'; readonly because: string }
  /** Not supported. `false` and an empty text are accepted. */
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

const noTags = 'projects and domains have no tags'
const noOrganizations = 'Muster has no organizations'

/** Filters. */
export const cloudpodsFilters = {
  admin: setting('scope', 'system'),
  baremetal: filter("host_type.equals('baremetal')"),
  cloudaccount: same('account'),
  cloudprovider: same('manager'),
  custom_dev_type: refusedText('servers cannot be filtered by device'),
  delete: refusedText('use `deleted=true`'),
  delete_all: refusedFlag('use `deleted=true`'),
  domain_organizations: refusedText(noOrganizations),
  domain_tags: refusedText(noTags),
  eip_associable: refusedFlag('Muster does not assign public addresses'),
  gpu: filter('is_gpu.equals(true)', 'is_gpu.equals(false)'),
  group: refusedText('Muster has no instance groups'),
  ip_addr: same('ip'),
  ip_addrs: same('ip'),
  is_managed: filter("provider.notequals('OneCloud')", "provider.equals('OneCloud')"),
  is_on_premise: filter("cloud_env.equals('onpremise')"),
  joint_filter: refusedText('use `filter`'),
  no_domain_tags: refusedText(noTags),
  no_project_tags: refusedText(noTags),
  os_arch: refusedText('Muster does not store the CPU architecture'),
  pending_delete_all: setting('pending_delete', 'all'),
  private_cloud: filter("cloud_env.equals('private')"),
  project_ids: same('project_id'),
  project_organizations: refusedText(noOrganizations),
  project_tags: refusedText(noTags),
  public_cloud: filter("cloud_env.equals('public')"),
  resource_type: refusedText('Muster does not store it'),
  scaling_group: refusedText('use `scaling_group_id`'),
  server_type: refusedText('use `is_gpu`'),
  show_emulated: filter(undefined, 'is_emulated.equals(false)'),
  system: filter(undefined, 'is_system.equals(false)'),
  usable_server_for_eip: refusedText('Muster does not assign public addresses'),
  usb: refusedFlag('servers cannot be filtered by device'),
  user: refusedText('a server belongs to a project, not to a user'),
  vpc_provider: refusedText('use `provider`'),
  wire: refusedText('Muster does not store wires'),
  with_eip: filter('eip.isnotempty()'),
  with_host: filter('host_id.isnotempty()', 'host_id.isempty()'),
  with_user_meta: refusedText('use `tags`'),
  without_eip: filter('eip.isempty()'),
  without_user_meta: refusedFlag('use `tags`'),
} as const satisfies Readonly<Record<string, CloudpodsParameter>>

/** Paging, sorting and fields. */
export const cloudpodsPaging = {
  export_keys: same('field'), // Comma-separated.
  export_limit: refusedText('`format=csv` always exports all servers'),
  export_texts: refusedText('CSV columns have the names of the fields'),
  meta: same('with_meta'),
  order_by_disk: order('disk'),
  order_by_host: order('host'),
  order_by_ip: refusedText('servers cannot be sorted by address'),
  order_by_network: refusedText('servers cannot be sorted by network'),
  order_by_os_dist: order('os_name'),
  order_by_tag: refusedText('servers cannot be sorted by tag'),
  paging_marker: same('marker'),
  paging_order: refusedText('use `order`'),
  show_fail_reason: nothing('the full object always contains the reasons'),
  summary_stats: refusedFlag('use `/servers/statistics`'),
} as const satisfies Readonly<Record<string, CloudpodsParameter>>
