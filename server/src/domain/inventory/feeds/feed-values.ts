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

/** A line break could end the entry that contains the text. */
const isOneLine = (text: string): boolean => !/[\p{Cc}\u2028\u2029]/u.test(text)

/** Values can be marked as texts for Ansible. Keys cannot, so none may look like a part of a template. */
const isInertKey = (key: string): boolean => !/\{|#jinja2/.test(key)

const keepSafe = (entries: readonly (readonly [string, string])[]) =>
  entries.filter(
    ([key, value]) => value !== '' && isOneLine(value) && isOneLine(key) && isInertKey(key),
  )

/** The fields of a server that are safe in other programs, as pairs. */
export const listFields = (server: Server) =>
  keepSafe(fields.map((name) => [name, server[name]] as const))

/**
 * Its tags that are safe in other programs, as pairs of prefixed key and value, in the order of keys.
 * Without `sys:`, which changes at every sync: each change of a label is a new series in Prometheus.
 */
export const listTags = ({ metadata }: Server) =>
  keepSafe(
    Object.entries(metadata)
      .filter(([key]) => !key.startsWith('sys:'))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
