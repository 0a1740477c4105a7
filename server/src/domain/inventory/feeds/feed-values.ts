import type { Server } from '@muster/contract'

/** The fields that feeds contain, where they are not empty. */
const fields = [
  'id',
  'name',
  'status',
  'provider',
  'brand',
  'hypervisor',
  'account',
  'region',
  'zone',
  'host',
  'project',
  'project_id',
  'project_domain',
  'domain_id',
  'instance_type',
  'os_type',
  'os_name',
  'external_id',
  'ips',
  'eip',
] as const satisfies readonly (keyof Server)[]

/**
 * Whether other programs take a text for nothing but a text. Ansible runs what is in `{{ }}`, `{% %}` and
 * `{# #}`, and a line break could end what a text stands in.
 */
const isInert = (text: string): boolean => !/[\p{Cc}\u2028\u2029]|\{[{%#]/u.test(text)

const keepInert = (entries: readonly (readonly [string, string])[]) =>
  entries.filter(([key, value]) => value !== '' && isInert(key) && isInert(value))

/** The fields of a server that are safe in other programs, as pairs. */
export const listFields = (server: Server) =>
  keepInert(fields.map((name) => [name, server[name]] as const))

/** Its tags that are safe in other programs, as pairs of prefixed key and value, in the order of keys. */
export const listTags = ({ metadata }: Server) =>
  keepInert(Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1)))
