import type { FastifyBaseLogger } from 'fastify'
import { ConfigError } from '../config/parsers.ts'
import type { Config } from '../config/read-config.ts'
import type { Clock, PasswordHasher } from '../domain/identity/ports.ts'
import { createSimulator, type Simulator } from '../sources/simulator/simulator.ts'
import type { Database } from '../storage/database.ts'
import { findDemoNote, keepDemoNote, type DemoNote } from '../storage/demo-note.ts'
import { createDirectory } from '../storage/directory.ts'
import { createRegistry } from '../storage/registry/registry.ts'
import type { SecretKey } from '../vault/secret-key.ts'
import { demoProjects } from './demo-organisation.ts'
import { createLayDemo } from './lay-demo.ts'
import { createDemoLife } from './live-demo.ts'
import { loadDemo, type RecordScan } from './load-demo.ts'
import { createMeetDemo, type DemoUser } from './meet-demo.ts'
import { createProgress, type ProgressOutput } from './progress.ts'

interface Parts {
  readonly config: Pick<Config, 'demoServers'>
  readonly database: Database
  readonly hasher: PasswordHasher
  readonly key: SecretKey
  readonly clock: Clock
  readonly logger: FastifyBaseLogger
  readonly recordServers: RecordScan
  readonly hasRealServers: () => Promise<boolean>
  /** Loads many at once before anybody asks. */
  readonly inBulk?: (load: () => Promise<void>) => Promise<void>
  /** Where a long load shows how far it is; nowhere unless given. */
  readonly progress?: ProgressOutput
}

export interface Demo {
  readonly servers: number
  readonly users: readonly DemoUser[]
  stop(): Promise<void>
}

const demoSeed = 20_260_101
const defaultServers = 1_000
/** From here on a load is worth the preparations of one in bulk. */
const manyServers = 10_000
const nowhere: ProgressOutput = { write: () => {} }

/** A demo: its people and projects, its fleet loaded, and life in it from then on. */
export async function composeDemo(parts: Parts): Promise<Demo> {
  const { database, clock } = parts
  if (await parts.hasRealServers()) {
    throw new ConfigError(
      '--demo does not go on top of real servers, and there are some here: take another --data-dir or --database-url',
    )
  }
  const registry = createRegistry(database)
  const directory = createDirectory(database)
  const known = await findDemoNote(database.read)
  const servers = chooseSize(parts.config.demoServers, known)
  const projects = demoProjects(servers)
  await createLayDemo({ ...parts, registry })(projects, known?.hasPeople !== true)

  let note = nextNote(known, servers, clock())
  const keep = async (news: Partial<DemoNote>) => {
    note = { ...note, ...news }
    await keepDemoNote(database, note)
  }
  await keep({})
  const simulator = createSimulator({ seed: note.seed, servers, projects })
  if (note.loaded < servers) {
    if (known && known.servers < servers) {
      parts.logger.info({ from: known.servers, to: servers }, 'the demo grows')
    }
    await load(parts, simulator, note.loaded, (loaded) => keep({ loaded }))
  }
  const life = createDemoLife({
    ...parts,
    simulator,
    since: note.moment,
    onLived: (moment) => keep({ moment }),
  })
  life.start()
  return {
    servers,
    users: await createMeetDemo({ ...parts, registry, directory })(),
    stop: life.stop,
  }
}

/** Without a wish it is as large as it was. */
function chooseSize(wish: number | undefined, known: DemoNote | undefined): number {
  const servers = wish ?? known?.servers ?? defaultServers
  if (known && servers < known.servers) {
    throw new ConfigError(
      `--demo-servers is less than the ${known.servers} that this demo has, and a demo only grows: for a smaller one take another --data-dir or --database-url`,
    )
  }
  return servers
}

/** In a fleet of another size everyone is somewhere else: it is gone through from the start. */
const nextNote = (known: DemoNote | undefined, servers: number, now: number): DemoNote =>
  known?.servers === servers
    ? { ...known, hasPeople: true }
    : { seed: known?.seed ?? demoSeed, servers, loaded: 0, moment: now, hasPeople: true }

async function load(
  { recordServers, inBulk, clock, progress = nowhere }: Parts,
  simulator: Simulator,
  from: number,
  onLoaded: (loaded: number) => Promise<void>,
): Promise<void> {
  const total = simulator.servers
  const bar = createProgress({ output: progress, title: 'Loading the demo', total, from })
  const loadAll = () =>
    loadDemo({
      simulator,
      moment: clock(),
      from,
      recordServers,
      async onLoaded(loaded) {
        bar.advance(loaded)
        await onLoaded(loaded)
      },
    })
  await (inBulk && total - from >= manyServers ? inBulk(loadAll) : loadAll())
  bar.end()
}
