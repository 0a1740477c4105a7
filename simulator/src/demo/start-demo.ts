import type {
  Demo,
  DemoAccount,
  DemoHost,
  DemoRecord,
  ProgressOutput,
} from '@muster/server/demo-port'
import { simulatorKind } from '../simulator-kind.ts'
import { simulatedAccounts } from '../sites.ts'
import { demoDomains, demoPeople, demoProjects } from './organisation.ts'
import { createProgress } from './progress.ts'
import { waitForDemo } from './wait-for-demo.ts'
import { welcomeText } from './welcome-text.ts'

interface Options {
  /** The number of servers. Default: that of the existing demo, or 1,000 for a new one. */
  readonly servers: number | undefined
  readonly progress: ProgressOutput
}

export const { provider } = simulatorKind
export { demoDomains }

const defaultSeed = 20_260_101
/** Raise it when the simulator gives servers other ids: the old ones would stay beside the new. */
const demoVersion = 3
const defaultServers = 1_000
/** Seconds. The simulator reports changes as events, so a complete scan is rarely needed. */
const period = 3_600

/** Creates the demo or continues with it: the organisation, then the accounts, which load in the background. */
export async function startDemo(host: DemoHost, options: Options): Promise<Demo> {
  const known = await host.findRecord()
  const isOutdated = known !== undefined && known.version !== demoVersion
  const servers = options.servers ?? known?.servers ?? defaultServers
  if (known && !isOutdated) refuseShrinking(host, known, servers)
  if (isOutdated) {
    host.log.info({}, 'the demo is of an earlier version: its servers are created again')
    await host.clear()
  }
  const projects = demoProjects(servers)
  const people = known?.hasPeople === true ? [] : demoPeople
  await host.createOrganisation({ domains: demoDomains, projects, people })

  const seed = known?.seed ?? defaultSeed
  const demoAccounts = describeAccounts(seed, servers)
  const ids = new Set(demoAccounts.map(({ id }) => id))
  if (isOutdated || known?.hasAccounts !== true) await host.attachAccounts(demoAccounts)
  const attached = (await host.listAccounts()).filter(({ account }) => ids.has(account.id))
  const hasGrown = known !== undefined && !isOutdated && known.servers < servers
  if (hasGrown) {
    host.log.info({ from: known.servers, to: servers }, 'the demo grows')
    const newProjects = projects.slice(demoProjects(known.servers).length)
    await host.growAccounts(demoAccounts, newProjects.map(ruleOf))
  }
  await host.saveRecord({ version: demoVersion, seed, servers, hasPeople: true, hasAccounts: true })
  const waiting = attached.filter(
    ({ account, sync }) =>
      account.enabled && !account.isBeingDeleted && (hasGrown || sync.finished_at === null),
  )
  const stopped = new AbortController()

  async function load(): Promise<void> {
    if (waiting.length === 0) return
    const output = options.progress
    const progress = createProgress({ output, title: 'Loading the demo', total: servers })
    const showProgress = async () => progress.advance(await host.countServers([...ids]))
    await waitForDemo({ host, waiting, showProgress, signal: stopped.signal })
    if (stopped.signal.aborted) return
    await host.completeLoad()
    progress.end()
  }

  const summary = {
    servers,
    users: await host.listUsers(demoPeople),
    isLoading: waiting.length > 0,
  }
  return {
    ...summary,
    loaded: load(),
    stop: () => stopped.abort(),
    welcomeText: (authUrl, baseUrl) => welcomeText(summary, authUrl, baseUrl),
  }
}

const ruleOf = ({ id }: { readonly id: string }) => ({ tenant: id, project_id: id })

/** Every simulated cloud account, with all projects as tenants of each. */
function describeAccounts(seed: number, servers: number): readonly DemoAccount[] {
  const projects = demoProjects(servers)
  const tenants = projects.map(({ id }) => id)
  return simulatedAccounts(seed).map(({ id, name, attachedAt }) => ({
    id,
    name,
    provider,
    options: { servers, seed, cloud_account: name, tenants },
    project_id: tenants[0] ?? '',
    period,
    mapping: projects.map(ruleOf),
    created_at: attachedAt,
  }))
}

function refuseShrinking(host: DemoHost, known: DemoRecord, servers: number): void {
  if (servers >= known.servers) return
  throw host.configError(
    `--demo-servers is less than the ${known.servers} that this demo has, and a demo only grows: for a smaller one use another --data-dir or --database-url`,
  )
}
