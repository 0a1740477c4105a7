import { hex16, hex32, roll, uuid } from './dice.ts'
import type { Site } from './sites.ts'

/** The id that the cloud itself would give, in the form that each has. */
export function externalIdOf(dice: number, { cloud, account_id }: Site, name: string): string {
  switch (cloud.provider) {
    case 'Aws':
      return `i-0${hex32(roll(dice, 110))}${hex32(roll(dice, 111))}`
    case 'Azure':
      return `/subscriptions/${account_id}/resourcegroups/rg-${hex16(roll(dice, 110)).slice(2)}/providers/microsoft.compute/virtualmachines/${encodeURIComponent(name.toLowerCase())}`
    case 'Google':
      return `${1 + (roll(dice, 110) % 9)}${String(roll(dice, 111)).padStart(10, '0')}${String(roll(dice, 112) % 100_000_000).padStart(8, '0')}`
    case 'Aliyun':
      return `i-bp1${(roll(dice, 110) + 0x1_0000_0000).toString(36)}${(roll(dice, 111) + 0x1_0000_0000).toString(36)}`
    case 'Qcloud':
      return `ins-${(roll(dice, 110) + 0x1_0000_0000 * 18).toString(36)}`
    case 'Proxmox':
      return `${100 + (roll(dice, 110) % 900_000)}`
    default:
      return uuid(dice, 113)
  }
}
