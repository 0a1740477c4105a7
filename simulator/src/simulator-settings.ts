import type { SettingProblem, SourceSettings } from '@muster/server/source-port'
import type { SimulatedFleet } from './simulator.ts'

const maxServers = 2_000_000
/** One hour in milliseconds. */
const maxDelay = 3_600_000
/** The random generator has 32 bits. */
const maxSeeds = 2 ** 32

const defaults = {
  servers: 1_000,
  seed: 1,
  unreadable: 0,
  delay: 2_000,
  failures: 0,
  hangs: 0,
  tenants: ['laboratory', 'shop', 'office', 'workshop'],
} as const

export interface SimulatorSettings extends SimulatedFleet {
  /** How many servers, from the first on, are reported as unreadable. */
  readonly unreadable: number
  /** Milliseconds until a server shows the result of a request. */
  readonly delay: number
  /** The percentage of requests that fail. */
  readonly failures: number
  /** The percentage of requests that get no response. */
  readonly hangs: number
}

/** Reads options that were checked. */
export function readSettings({ options }: Pick<SourceSettings, 'options'>): SimulatorSettings {
  const {
    servers = defaults.servers,
    seed = defaults.seed,
    unreadable = defaults.unreadable,
    tenants = defaults.tenants,
    cloud_account: cloudAccount,
    action_delay: delay = defaults.delay,
    action_failures: failures = defaults.failures,
    action_hangs: hangs = defaults.hangs,
  } = options as {
    servers?: number
    seed?: number
    unreadable?: number
    tenants?: readonly string[]
    cloud_account?: string
    action_delay?: number
    action_failures?: number
    action_hangs?: number
  }
  return { servers, seed, tenants, cloudAccount, unreadable, delay, failures, hangs }
}

export function checkSimulatorSettings(settings: SourceSettings): readonly SettingProblem[] {
  const { servers, seed, tenants, cloudAccount, unreadable, delay, failures, hangs } =
    readSettings(settings)
  const isPercentage = (value: number) => value >= 0 && value <= 100
  const problems: readonly (readonly [is: boolean, path: string, problem: string])[] = [
    [settings.address !== '', 'address', 'must be empty: simulated servers have no address'],
    [servers < 1 || servers > maxServers, 'options.servers', `must be from 1 to ${maxServers}`],
    [seed < 0 || seed >= maxSeeds, 'options.seed', `must be from 0 to ${maxSeeds - 1}`],
    [unreadable < 0, 'options.unreadable', 'must not be negative'],
    [delay < 0 || delay > maxDelay, 'options.action_delay', `must be from 0 to ${maxDelay}`],
    [!isPercentage(failures), 'options.action_failures', 'must be from 0 to 100'],
    [!isPercentage(hangs), 'options.action_hangs', 'must be from 0 to 100'],
    [cloudAccount === '', 'options.cloud_account', 'must not be empty'],
    [tenants.length === 0 || tenants.includes(''), 'options.tenants', 'must contain names'],
  ]
  return problems.filter(([is]) => is).map(([, path, problem]) => ({ path, problem }))
}
