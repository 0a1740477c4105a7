import {
  callerFields,
  serverBooleans,
  serverTimestamps,
  serverNumbers,
  serverTexts,
  type CallerField,
  type Server,
} from '@muster/contract'

export { callerFields, type CallerField } from '@muster/contract'

export type FieldKind = 'boolean' | 'timestamp' | 'number' | 'text'

type Flag = Exclude<(typeof serverBooleans)[number], CallerField>
type Moment = (typeof serverTimestamps)[number]
type Quantity = (typeof serverNumbers)[number]
type Text = Exclude<(typeof serverTexts)[number], CallerField>

/** A field that a list can be filtered and sorted by: every scalar one that is the same for all. */
export type Field = Flag | Moment | Quantity | Text

const isCallers = (name: string) => (callerFields as readonly string[]).includes(name)

const ofKind = (names: readonly string[], kind: FieldKind) =>
  names.filter((name) => !isCallers(name)).map((name) => [name, kind] as const)

/** Every such field with its kind. */
export const fields = Object.fromEntries([
  ...ofKind(serverBooleans, 'boolean'),
  ...ofKind(serverTimestamps, 'timestamp'),
  ...ofKind(serverNumbers, 'number'),
  ...ofKind(serverTexts, 'text'),
]) as Readonly<Record<Field, FieldKind>>

export const isField = (name: string): name is Field => Object.hasOwn(fields, name)

/** Fields with a known set of values. Equality on them ignores case: `provider=aws` finds `Aws`. */
export const enumerated: ReadonlySet<Field> = new Set<Field>([
  'backup_host_status',
  'billing_type',
  'bios',
  'brand',
  'cloud_env',
  'eip_mode',
  'host_service_status',
  'host_status',
  'host_type',
  'hypervisor',
  'machine',
  'os_type',
  'project_src',
  'provider',
  'scaling_status',
  'shutdown_behavior',
  'status',
  'vdi',
  'vga',
])

/** The keys of the short object, in its order. */
export const shortFields = [
  'id',
  'name',
  'status',
  'description',
  'created_at',
  'updated_at',
  'project_id',
  'tenant_id',
  'domain_id',
  'provider',
  'brand',
  'hypervisor',
  'os_type',
  'vcpu_count',
  'vmem_size',
  'disk',
  'ips',
  'zone',
  'region',
  'cloudregion_id',
  'zone_id',
  'host_id',
  'instance_type',
  'billing_type',
  'external_id',
  'is_gpu',
  'pending_deleted',
] as const satisfies readonly (keyof Server)[]
