import type { Fleet } from './fleet.ts'
import type { FleetProject } from './fleet-keys.ts'
import type { LoadRequest } from './load-shapes.ts'
import { shuffle } from './random.ts'

/** What the figures ask for, as requests. */

const usualLimit = 20

export const asOwner = (token: string, path: string): LoadRequest => ({
  path,
  headers: { 'x-auth-token': token },
})

const page = ({ token }: FleetProject, query: string) =>
  asOwner(token, `/servers?details=true&${query}`)

/** A project to ask for again and again. */
export const hotProject = ({ projects }: Fleet): FleetProject => {
  const project = projects.find(({ servers }) => servers >= usualLimit)
  if (!project) throw new Error('no project has a whole page of servers')
  return project
}

export const hotPage = (fleet: Fleet): LoadRequest => page(hotProject(fleet), `limit=${usualLimit}`)

/** Everything that a project has. */
export const wholeProject = (project: FleetProject): LoadRequest => page(project, 'limit=2048')

const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, at) => from + at * step)

/** Whole pages of which no two have a server in common, project after project by chance. */
export const pagesApart = (projects: readonly FleetProject[]): LoadRequest[] =>
  shuffle(
    projects.flatMap((project) =>
      range(0, project.servers - usualLimit + 1, usualLimit).map((offset) =>
        page(project, `limit=${usualLimit}&offset=${offset}`),
      ),
    ),
  )

/** Twenty on average, so that there are more pages than one fleet has places for them to begin. */
const limits = range(16, 25)

/** Pages of which no two are the same, though they have servers in common. */
export const differentPages = (projects: readonly FleetProject[]): LoadRequest[] =>
  shuffle(
    projects.flatMap((project) =>
      limits.flatMap((limit) =>
        range(0, project.servers - limit + 1).flatMap((offset) =>
          ['asc', 'desc'].map((order) =>
            page(project, `limit=${limit}&offset=${offset}&order=${order}`),
          ),
        ),
      ),
    ),
  )

/** Servers from anywhere in the fleet. */
export const singleServers = ({ ids, systemToken }: Fleet): LoadRequest[] =>
  ids.map((id) => asOwner(systemToken, `/servers/${id}`))
