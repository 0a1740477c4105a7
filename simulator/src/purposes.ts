import { below, byWeight, chance, joined, pick } from './random-hash.ts'

/** The purpose of a server, which determines its name, size, tags and disks. */
export interface Purpose {
  readonly name: string
  readonly app: string
  readonly team: string
  readonly description: string
  /** The range of sizes, as fractions of the cloud's list. */
  readonly size: readonly [number, number]
  readonly dataDisks: number
  readonly isWindows: boolean
}

const purpose = (
  name: string,
  app: string,
  team: string,
  description: string,
  size: readonly [number, number] = [0.1, 0.6],
  dataDisks = 0,
): Purpose => ({ name, app, team, description, size, dataDisks, isWindows: false })

const windows = (name: string, app: string, team: string, description: string): Purpose => ({
  ...purpose(name, app, team, description, [0.3, 0.8], 1),
  isWindows: true,
})

const purposes = byWeight([
  [purpose('web', 'storefront', 'web', 'Front end behind the load balancer'), 14],
  [purpose('api', 'orders', 'backend', 'REST API of the order service'), 12],
  [purpose('k8s-worker', 'kubernetes', 'platform', '', [0.4, 0.9]), 16],
  [purpose('k8s-master', 'kubernetes', 'platform', 'Control plane', [0.3, 0.5]), 3],
  [purpose('db-mysql', 'mysql', 'data', 'MySQL 8, replicated', [0.5, 1], 1), 6],
  [purpose('db-postgres', 'postgresql', 'data', 'PostgreSQL 16', [0.5, 1], 1), 5],
  [purpose('cache-redis', 'redis', 'backend', '', [0.2, 0.7]), 5],
  [purpose('kafka', 'kafka', 'data', 'Broker', [0.4, 0.8], 2), 3],
  [purpose('es-data', 'elasticsearch', 'observability', '', [0.5, 1], 4), 2],
  [purpose('ci-runner', 'gitlab-runner', 'platform', 'Build jobs; safe to replace', [0.2, 0.9]), 6],
  [purpose('bastion', 'ssh', 'security', 'Jump host', [0, 0.2]), 2],
  [purpose('monitor', 'prometheus', 'observability', 'Metrics of this zone', [0.2, 0.6]), 3],
  [purpose('mail', 'postfix', 'office', 'Outgoing mail', [0, 0.4]), 2],
  [purpose('batch', 'reports', 'data', 'Nightly reports', [0.3, 1]), 4],
  [purpose('dev', 'sandbox', 'backend', '', [0, 0.5]), 6],
  [windows('WIN-SRV', 'file-server', 'office', 'File and print services'), 2],
  [windows('SAP-PRD', 'sap', 'finance', 'SAP application server'), 2],
  [windows('vdi', 'desktops', 'office', 'Virtual desktop'), 3],
  [purpose('测试-数据库', 'mysql', 'data', '测试环境的数据库', [0.2, 0.6], 1), 2],
  [purpose('生产-网关', 'gateway', 'backend', '对外接口网关，请勿重启'), 2],
  [windows('Büro-Server', 'file-server', 'office', 'Büroserver, täglich gesichert'), 1],
  [purpose('größtes-archiv', 'archive', 'data', 'Archiv für Altdaten', [0, 0.3], 3), 1],
])

const environments = byWeight([
  ['prod', 9],
  ['staging', 3],
  ['test', 3],
  ['dev', 4],
  ['qa', 1],
])

/** Shared by projects, so that a filter by cost centre finds several. */
const costCenters = byWeight([
  ['CC-1010', 6],
  ['CC-1020', 3],
  ['CC-2200', 2],
  ['CC-4711', 1],
])
const owners = ['j.weber', 'm.chen', 'a.novak', 's.okafor', '李雷', 'k.müller', 'r.silva', 'ops']
const backups = ['daily', 'weekly', 'none']
const tiers = ['gold', 'silver', 'bronze', 'bronze']

export const purposeOf = (dice: number): Purpose => pick(dice, 20, purposes)

const environmentOf = (dice: number) => pick(dice, 21, environments)

/** Names of temporary servers. Most occur more than once. */
const carelessNames = ['test', 'tmp', 'new-vm', '新建虚拟机', 'Kopie von web-01']
const carelessShare = 0.05

/** A name with a number within the project, or a temporary name. */
export function nameOf(dice: number, { name }: Purpose, inProject: number): string {
  if (chance(dice, 22) < carelessShare) return pick(dice, 32, carelessNames)
  return [name, environmentOf(dice), String(inProject + 1).padStart(2, '0')].join('-')
}

/** The tags: three always, up to three at random, and one that changes. */
export function tagsOf(dice: number, purpose: Purpose, version: number): Record<string, string> {
  const tags: Record<string, string> = {
    env: environmentOf(dice),
    team: purpose.team,
    app: purpose.app,
  }
  if (chance(dice, 23) < 0.6) tags['cost-center'] = pick(dice, 24, costCenters)
  if (chance(dice, 25) < 0.35) tags['owner'] = pick(dice, 26, owners)
  if (version > 0 || chance(dice, 27) < 0.4) {
    tags['backup'] = backups[(below(dice, 28, 3) + version) % backups.length] as string
  } else if (chance(dice, 29) < 0.3) {
    tags['tier'] = pick(dice, 30, tiers)
  }
  return tags
}

/** Two of five servers have no description. */
export function descriptionOf(dice: number, { description }: Purpose): string {
  const luck = below(dice, 31, 10)
  if (luck < 3) return ''
  return luck === 3
    ? joined(description, description && '. ', 'Ask before you stop it.')
    : description
}
