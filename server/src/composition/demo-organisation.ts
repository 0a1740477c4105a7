import { createHash } from 'node:crypto'

/** Who owns a demo's servers, and as whom it can be tried. Ids are always the same: a restart finds them. */

const fewestProjects = 12
const serversOfProject = 1_000

const idOf = (kind: string, name: string | number): string =>
  createHash('sha256').update(`muster demo ${kind} ${name}`).digest('hex').slice(0, 32)

export interface DemoDomain {
  readonly id: string
  readonly name: string
  readonly description: string
}

export interface DemoProject {
  readonly id: string
  readonly name: string
  readonly domain_id: string
}

/** A role that is there from the start, and where it is held. */
type DemoRole =
  | { readonly role: string; readonly on: 'system' }
  | { readonly role: string; readonly on: 'domain'; readonly domain: DemoDomain }
  | { readonly role: string; readonly on: 'project'; readonly project: DemoProject }

export interface DemoPerson {
  readonly id: string
  readonly name: string
  readonly displayname: string
  readonly domain_id: string
  /** Where the person logs in without saying where; none for who is there for a whole domain. */
  readonly default_project_id: string | null
  readonly roles: readonly DemoRole[]
}

export const demoDomains: readonly DemoDomain[] = [
  ['Research', 'Laboratories and computing'],
  ['Retail', 'Shops, warehouses and what they sell through'],
  ['Studio', 'Games, films and the people who make them'],
].map(([name = '', description = '']) => ({ id: idOf('domain', name), name, description }))

const fields = [
  'genome',
  'checkout',
  'render',
  'climate',
  'billing',
  'matchmaking',
  'imaging',
  'catalog',
  'animation',
  'particle',
  'logistics',
  'leaderboard',
  'telescope',
  'loyalty',
  'soundtrack',
  'protein',
  'pricing',
  'asset',
  'ocean',
  'recommendation',
  'physics',
  'survey',
  'payments',
  'motion-capture',
  'robotics',
  'warehouse',
  'lighting',
  'vaccine',
  'returns',
  'texture',
]
const works = [
  'pipeline',
  'api',
  'lab',
  'platform',
  'archive',
  'analytics',
  'staging',
  'frontend',
  'search',
  'batch',
  'gateway',
  'sandbox',
]

/** Fields go with their domain, three in turn; works change once all fields had theirs. */
function projectName(number: number): string {
  const field = fields[number % fields.length] ?? ''
  const round = Math.floor(number / fields.length)
  const lap = Math.floor(round / works.length)
  return `${field}-${works[round % works.length]}${lap === 0 ? '' : `-${lap + 1}`}`
}

/** The first so many: a fleet that grows keeps those it has. */
export const demoProjects = (servers: number): readonly DemoProject[] =>
  Array.from(
    { length: Math.max(fewestProjects, Math.ceil(servers / serversOfProject)) },
    (_, number) => ({
      id: idOf('project', number),
      name: projectName(number),
      domain_id: demoDomains[number % demoDomains.length]?.id ?? '',
    }),
  )

/** Someone of each kind, all in the first domain, and in its first project where it takes one. */
function createPeople(): readonly DemoPerson[] {
  const [domain] = demoDomains
  const [project] = demoProjects(0)
  if (!domain || !project) return []
  const person = (
    name: string,
    displayname: string,
    roles: readonly DemoRole[],
    default_project_id: string | null = project.id,
  ) => ({
    id: idOf('user', name),
    name,
    displayname,
    domain_id: domain.id,
    default_project_id,
    roles,
  })
  return [
    person('demo-owner', 'Olga Owner', [{ role: 'project_owner', on: 'project', project }]),
    person('demo-viewer', 'Victor Viewer', [{ role: 'project_viewer', on: 'project', project }]),
    person(
      'demo-domain-admin',
      'Dana Domain',
      [{ role: 'domain_admin', on: 'domain', domain }],
      null,
    ),
    person('demo-auditor', 'Amal Auditor', [
      { role: 'auditor', on: 'system' },
      // A role on the system holds in a project's token: there has to be one.
      { role: 'project_viewer', on: 'project', project },
    ]),
  ]
}

export const demoPeople: readonly DemoPerson[] = createPeople()
