import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { openPostgresFleet } from './fleet.ts'
import { options } from './options.ts'
import { hotProject } from './pages.ts'

/**
 * `npm run bench:plans` writes `docs/postgresql-plans.md`: the plans of the most common queries on
 * PostgreSQL, as `auto_explain` logs them while a real process serves real requests.
 */
const page = new URL('../docs/postgresql-plans.md', import.meta.url)
const port = 18_422

const settings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_parameter_max_length': '0',
}

async function logPlans(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('vacuum (analyze)')
  for (const [name, value] of Object.entries(settings)) {
    await client.query(`alter system set ${name} = '${value}'`)
  }
  await client.query('select pg_reload_conf()')
  await client.end()
}

/** The plans in a log: each starts with its duration and goes on in lines with a tab. */
function plansIn(log: string): string[] {
  return log
    .split(/\n(?=\S)/)
    .filter((entry) => /plan:\n/.test(entry) && !/fleet_version|account_syncs/.test(entry))
    .map((entry) =>
      entry.slice(entry.indexOf('plan:\n') + 'plan:\n'.length).replaceAll('\n\t', '\n'),
    )
    .map((plan) =>
      plan
        .replace(/^\t?Query Text: /, '')
        .replaceAll(/ \(cost=[^)]*\)/g, '')
        .trimEnd(),
    )
}

const widest = 110

/** Long lists of columns and values say nothing about a plan. */
const shorten = (line: string) => (line.length > widest ? `${line.slice(0, widest)} …` : line)

let log = ''
const fleet = await openPostgresFleet(options.postgresServers, (text) => {
  log += text
})
await logPlans(fleet.databaseUrl)
const server = await fleet.start(port)

async function get(path: string, token: string): Promise<Response> {
  const response = await fetch(server.url + path, { headers: { 'x-auth-token': token } })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response
}

/** The plans of one request. */
async function plansOf(path: string, token: string): Promise<string[]> {
  await pause(500)
  log = ''
  await get(path, token)
  await pause(500)
  return plansIn(log)
}

const { token } = hotProject(fleet)
const { systemToken } = fleet
// Verifies and caches the tokens, without a query for servers.
await get('/v3/auth/projects', token)
await get('/v3/auth/projects', systemToken)
const first = await get('/servers?limit=20&scope=system', systemToken)
const marker = /marker=([^&>]+)/.exec(first.headers.get('link') ?? '')?.[1] ?? ''

const requests: readonly (readonly [title: string, path: string, token: string])[] = [
  ['First page of a project', '/servers?details=true&limit=20', token],
  ['One server', `/servers/${fleet.ids[0]}`, systemToken],
  ['First page of all servers', '/servers?limit=20&scope=system&order=asc', systemToken],
  ['Next page, by marker', `/servers?limit=20&scope=system&marker=${marker}`, systemToken],
  ['A common filter', '/servers?scope=system&status=running', systemToken],
  ['A filter and a sort order', '/servers?scope=system&provider=Aws&order_by=name', systemToken],
  ['Search', '/servers?scope=system&search=web', systemToken],
  ['A tag', '/servers?scope=system&tags=env%3Dprod', systemToken],
  ['A network', '/servers?scope=system&ip=10.4.0.0/16', systemToken],
  ['Statistics', '/servers/statistics?scope=system&group_by=status&group_by=provider', systemToken],
]

const sections: string[] = []
for (const [title, path, caller] of requests) {
  const plans = await plansOf(path, caller)
  sections.push(
    `## ${title}`,
    '',
    `\`GET ${path.replace(/marker=.+/, 'marker=…').replace(/[0-9a-f-]{36}/, '<id>')}\``,
    '',
    ...plans.flatMap((plan) => ['```text', ...plan.split('\n').map(shorten), '```', '']),
  )
}
await server.stop()
await fleet.close()

const { length } = requests
writeFileSync(
  page,
  [
    '# Query plans on PostgreSQL',
    '',
    `The plans of the ${length} most common requests with ${options.postgresServers.toLocaleString('en-US')} servers, as PostgreSQL's \`auto_explain\` logged them. \`node bench/query-plans.ts\` writes this page. Long lines are cut.`,
    '',
    'SQLite gets index hints. PostgreSQL chooses by its statistics: Muster creates partial indexes of live',
    'servers in every common order, and autovacuum keeps the statistics current. Indexes of the default',
    'order cover what finds a page. The statements of pages without a filter and of single servers are',
    'prepared. A request whose page is cached runs no query.',
    '',
    ...sections,
  ].join('\n'),
)
