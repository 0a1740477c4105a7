import { diceOfRoll, diceOfUuid, hex32, joined, roll, subjectOf, uuid } from './random-hash.ts'
import type { Site } from './sites.ts'

const wholeRange = 0x1_0000_0000
/** The number of Proxmox's first server. */
const firstNumber = 100

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
        (roll(dice, 110) + wholeRange).toString(36),
        (roll(dice, 111) + wholeRange).toString(36),
      )
    case 'Qcloud':
      return `ins-${(roll(dice, 110) + wholeRange * 18).toString(36)}`
    case 'Proxmox':
      return `${firstNumber + index}`
    default:
      return uuid(dice, 113)
  }
}

/** For each format, the random seed of the server that can have the id. */
const formats: readonly (readonly [format: RegExp, diceOf: (part: string) => number])[] = [
  [/^i-0([0-9a-f]{8})[0-9a-f]{8}$/, (part) => diceOfRoll(Number.parseInt(part, 16), 110)],
  [/\/resourcegroups\/rg-([0-9a-f]{8})\//, (part) => diceOfRoll(Number.parseInt(part, 16), 110)],
  [/^[1-9](\d{10})\d{8}$/, (part) => diceOfRoll(Number(part), 111)],
  [/^i-bp1(\w{7})\w{7}$/, (part) => diceOfRoll(Number.parseInt(part, 36) - wholeRange, 110)],
  [/^ins-(\w+)$/, (part) => diceOfRoll(Number.parseInt(part, 36) - wholeRange * 18, 110)],
  [/^([0-9a-f]{8})-/, (part) => diceOfUuid(part, 113)],
]

/** The only index that can have this external id. The caller compares the id of that server. */
export function possibleIndexOf(seed: number, externalId: string): number {
  for (const [format, diceOfPart] of formats) {
    const part = format.exec(externalId)?.[1]
    if (part !== undefined) return subjectOf(seed, diceOfPart(part))
  }
  return Number(externalId) - firstNumber
}
