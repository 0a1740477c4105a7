import type { SecurityGroup } from '@muster/contract'
import { below, chance, diceOf, roll, uuid } from './random-hash.ts'
import type { Site } from './sites.ts'

const groups = [
  ['default', 'in:allow any;out:allow any'],
  ['web', 'in:allow tcp 80;in:allow tcp 443;out:allow any'],
  ['ssh-internal', 'in:allow tcp 22 10.0.0.0/8'],
  ['database', 'in:allow tcp 3306 10.0.0.0/8;in:allow tcp 5432 10.0.0.0/8;in:deny any'],
  ['monitoring', 'in:allow tcp 9100;in:allow udp 161;in:allow icmp'],
  ['kubernetes', 'in:allow tcp 6443;in:allow tcp 10250;in:allow tcp 30000-32767'],
] as const

const forced = 'in:deny tcp 23;in:deny tcp 445;in:allow any'
const adminShare = 0.1

interface Security {
  readonly secgroups: SecurityGroup[]
  readonly security_rules: string
  readonly adminGroup: { readonly id: string; readonly rules: string } | undefined
}

/** Groups belong to a project in an account; the admin group is shared by the account. */
export function securityOf(seed: number, dice: number, site: Site, project: number): Security {
  const luck = below(dice, 80, 10)
  const count = luck < 6 ? 1 : luck < 9 ? 2 : 3
  const start = below(dice, 81, groups.length)
  const ofProject = diceOf(seed ^ roll(site.dice, 8), project)
  const secgroups: SecurityGroup[] = []
  const security_rules: string[] = []
  for (let number = 0; number < count; number += 1) {
    const at = (start + number) % groups.length
    const [name, rules] = groups[at] as (typeof groups)[number]
    secgroups.push({ id: uuid(ofProject, 20 + at), name })
    security_rules.push(rules)
  }
  const isForced = chance(dice, 82) < adminShare
  return {
    secgroups,
    security_rules: security_rules.join(';'),
    adminGroup: isForced ? { id: uuid(site.dice, 30), rules: forced } : undefined,
  }
}
