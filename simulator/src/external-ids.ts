import { hex32, joined, roll, uuid } from './random-hash.ts'
import type { Site } from './sites.ts'

interface Subject {
  readonly index: number
  readonly dice: number
  readonly account: Pick<Site, 'cloud' | 'account_id'>
  readonly name: string
}

/** A unique external id in the format of the cloud. */
export function externalIdOf({ index, dice, account, name }: Subject): string {
  const { cloud, account_id } = account
  switch (cloud.provider) {
    case 'Aws':
      return joined('i-0', hex32(roll(dice, 110)), hex32(roll(dice, 111)))
    case 'Azure':
      return joined(
        '/subscriptions/',
        account_id,
        '/resourcegroups/rg-',
        hex32(roll(dice, 110)),
        '/providers/microsoft.compute/virtualmachines/',
        encodeURIComponent(name.toLowerCase()),
      )
    case 'Google':
      return joined(
        1 + (roll(dice, 110) % 9),
        String(roll(dice, 111)).padStart(10, '0'),
        String(roll(dice, 112) % 100_000_000).padStart(8, '0'),
      )
    case 'Aliyun':
      return joined(
        'i-bp1',
        (roll(dice, 110) + 0x1_0000_0000).toString(36),
        (roll(dice, 111) + 0x1_0000_0000).toString(36),
      )
    case 'Qcloud':
      return `ins-${(roll(dice, 110) + 0x1_0000_0000 * 18).toString(36)}`
    case 'Proxmox':
      return `${100 + index}`
    default:
      return uuid(dice, 113)
  }
}
