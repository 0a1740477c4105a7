import { Type, type Static } from 'typebox'
import { cloudpodsNote } from '../paging.ts'
import { changesObject, exactObject, FreeText, NewName } from '../scalars.ts'

/** The time that a guest has to shut down, in seconds. */
export const defaultStopTimeout = 60

const flag = (description: string) => Type.Optional(Type.Boolean({ description }))

/** Sent by Cloudpods' clients, and ignored: they have no equivalent at Muster's sources. */
const ignored = {
  auto_prepaid: flag(cloudpodsNote),
  qemu_version: Type.Optional(Type.String({ maxLength: 64, description: cloudpodsNote })),
  stop_charging: flag(cloudpodsNote),
  // Redundant: `boot_order` is always sent with it.
  boot: Type.Optional(Type.Enum(['disk', 'cdrom'], { description: cloudpodsNote })),
}
export const ignoredParameters: readonly string[] = Object.keys(ignored)

const stop = {
  is_force: flag(
    'Switch the server off if the guest does not shut down in time. Needed for servers of a scaling group.',
  ),
  timeout_secs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: `Seconds that the guest has to shut down. Default: ${defaultStopTimeout}.`,
    }),
  ),
}

export const StartParameters = exactObject({
  auto_prepaid: ignored.auto_prepaid,
  qemu_version: ignored.qemu_version,
})
export const StopParameters = exactObject({ ...stop, stop_charging: ignored.stop_charging })
export const RestartParameters = exactObject(stop)
export const ResetParameters = exactObject({
  is_hard: flag('No effect: a reset does not ask the guest'),
})
export const NoParameters = exactObject({})

const units = { m: 1, g: 1_024, t: 1_048_576 } as const

/** Memory in MB. Cloudpods' clients send a text such as `2048`, `512m` or `2g`. */
export function readMemory(given: number | string): number {
  const [, digits, unit = 'm'] = /^(\d+)([mgt]?)$/.exec(String(given).toLowerCase()) ?? []
  return Number(digits) * (units[unit as keyof typeof units] ?? 1)
}

export const ChangeConfigParameters = exactObject({
  vcpu_count: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 4096, description: 'Number of vCPUs' }),
  ),
  vmem_size: Type.Optional(
    Type.Union(
      [
        Type.Integer({ minimum: 1, maximum: 134_217_728 }),
        Type.String({ pattern: '^([1-9][0-9]{0,7}[mM]?|[1-9][0-9]{0,4}[gG]|[1-9][0-9]?[tT])$' }),
      ],
      { description: 'Memory in MB, or a text with a unit such as `512m` or `2g`' },
    ),
  ),
  instance_type: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Instance type at the source' }),
  ),
  force_stop: flag('Stop a running server for the change, and start it again afterwards'),
})
export type ChangeConfigParameters = Static<typeof ChangeConfigParameters>

export const UpdateParameters = changesObject({
  name: Type.Optional(NewName),
  shutdown_behavior: Type.Optional(Type.Enum(['stop', 'terminate'])),
  boot_order: Type.Optional(
    Type.String({
      pattern: '^(?!.*(.).*\\1)[cdn]{1,3}$',
      description: 'Devices in their order: `c` disk, `d` CD-ROM, `n` network, each at most once',
    }),
  ),
  boot: ignored.boot,
  description: Type.Optional({ ...FreeText, description: 'Stored in Muster only' }),
  disable_delete: flag(
    'Protects against deletion through Muster. false also clears the protection of the source, such as termination protection.',
  ),
})
export type UpdateParameters = Static<typeof UpdateParameters>

const deletion = {
  override_pending_delete: flag('Delete at once instead of moving to the recycle bin'),
  delete_disks: flag('Delete the disks, too. Default: false.'),
  delete_snapshots: flag('Delete the snapshots, too. Default: false.'),
  is_force: flag('Delete a server of a scaling group, which will replace it'),
}
export const DeleteParameters = exactObject(deletion)
export type DeleteParameters = Static<typeof DeleteParameters>
