import { createHash } from 'node:crypto'
import type { DemoDomain, DemoPerson, DemoProject, DemoRole } from '@muster/server/demo-port'

const fewestProjects = 12
const serversPerProject = 1_000

/** Ids are derived from names, so that a restart finds what it created. */
const idOf = (kind: string, name: string | number): string =>
  createHash('sha256').update(`muster demo ${kind} ${name}`).digest('hex').slice(0, 32)

export const demoDomains: readonly DemoDomain[] = [
  ['Research', 'Laboratories and computing'],
  ['Retail', 'Shops, warehouses and what they sell through'],
  ['Studio', 'Games, films and the people who make them'],
].map(([name = '', description = '']) => ({ id: idOf('domain', name), name, description }))

const subjects = [
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
const workloads = [
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

/** Subject i belongs to domain i modulo 3. The workload changes after each round of all subjects. */
function projectName(number: number): string {
  const subject = subjects[number % subjects.length] ?? ''
  const round = Math.floor(number / subjects.length)
  const lap = Math.floor(round / workloads.length)
  return `${subject}-${workloads[round % workloads.length]}${lap === 0 ? '' : `-${lap + 1}`}`
}

/** A larger demo has the projects of a smaller one and more. */
export const demoProjects = (servers: number): readonly DemoProject[] =>
  Array.from(
    { length: Math.max(fewestProjects, Math.ceil(servers / serversPerProject)) },
    (_, number) => ({
      id: idOf('project', number),
      name: projectName(number),
      domain_id: demoDomains[number % demoDomains.length]?.id ?? '',
    }),
  )

/** One user per kind of role, all in the first domain and, where the role is a project's, in its first project. */
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
      // A system role takes effect in a project token, so the user needs a project.
      { role: 'project_viewer', on: 'project', project },
    ]),
  ]
}

export const demoPeople: readonly DemoPerson[] = createPeople()
