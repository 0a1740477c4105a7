import type { Fleet } from './fleet.ts'
import type { FleetProject } from './fleet-keys.ts'
import type { LoadRequest } from './load-types.ts'
import { shuffle } from './random.ts'

/** The requests of the benchmarks. */

const defaultPageSize = 20

export const withToken = (token: string, path: string): LoadRequest => ({
  path,
  headers: { 'x-auth-token': token },
})

const page = ({ token }: FleetProject, query: string) =>
  withToken(token, `/servers?details=true&${query}`)

/** The project whose page is requested repeatedly. */
export const hotProject = ({ projects }: Fleet): FleetProject => {
  const project = projects.find(({ servers }) => servers >= defaultPageSize)
  if (!project) throw new Error('no project has a whole page of servers')
  return project
}

export const hotPage = (fleet: Fleet): LoadRequest =>
  page(hotProject(fleet), `limit=${defaultPageSize}`)

/** All servers of a project. */
export const wholeProject = (project: FleetProject): LoadRequest => page(project, 'limit=2048')

const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, at) => from + at * step)

/** Full pages without common servers, in random order. */
export const disjointPages = (projects: readonly FleetProject[]): LoadRequest[] =>
  shuffle(
    projects.flatMap((project) =>
      range(0, project.servers - defaultPageSize + 1, defaultPageSize).map((offset) =>
        page(project, `limit=${defaultPageSize}&offset=${offset}`),
      ),
    ),
  )

/** 20 on average. Different sizes give more different pages. */
const limits = range(16, 25)

/** Pages that all differ, but have servers in common. */
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

/** Single servers of all projects. */
export const singleServers = ({ ids, systemToken }: Fleet): LoadRequest[] =>
  ids.map((id) => withToken(systemToken, `/servers/${id}`))
