import type { SettingProblem, SourceSettings } from '@muster/server/source-port'
import type { SimulatedFleet } from './simulator.ts'

const maxServers = 2_000_000
/** The random generator has 32 bits. */
const maxSeeds = 2 ** 32

const defaults = {
  servers: 1_000,
  seed: 1,
  unreadable: 0,
  tenants: ['laboratory', 'shop', 'office', 'workshop'],
} as const

export interface SimulatorSettings extends SimulatedFleet {
  /** Only servers of this cloud account; undefined for all. */
  readonly cloudAccount: string | undefined
  /** How many servers, from the first on, are reported as unreadable. */
  readonly unreadable: number
}

/** Reads options that were checked. */
export function readSettings({ options }: Pick<SourceSettings, 'options'>): SimulatorSettings {
  const {
    servers = defaults.servers,
    seed = defaults.seed,
    unreadable = defaults.unreadable,
    tenants = defaults.tenants,
    cloud_account: cloudAccount,
  } = options as {
    servers?: number
    seed?: number
    unreadable?: number
    tenants?: readonly string[]
    cloud_account?: string
  }
  return { servers, seed, tenants, cloudAccount, unreadable }
}

export function checkSimulatorSettings(settings: SourceSettings): readonly SettingProblem[] {
  const { servers, seed, tenants, cloudAccount, unreadable } = readSettings(settings)
  const problems: readonly (readonly [is: boolean, path: string, problem: string])[] = [
    [settings.address !== '', 'address', 'is not taken: these servers are nowhere'],
    [servers < 1 || servers > maxServers, 'options.servers', `must be from 1 to ${maxServers}`],
    [seed < 0 || seed >= maxSeeds, 'options.seed', `must be from 0 to ${maxSeeds - 1}`],
    [unreadable < 0, 'options.unreadable', 'must not be negative'],
    [cloudAccount === '', 'options.cloud_account', 'must not be empty'],
    [tenants.length === 0 || tenants.includes(''), 'options.tenants', 'must have names in it'],
  ]
  return problems.filter(([is]) => is).map(([, path, problem]) => ({ path, problem }))
}
