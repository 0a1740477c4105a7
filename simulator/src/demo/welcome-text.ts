import type { Demo, DemoUser } from '@muster/server/demo-port'

const columns = ['user', 'password', 'domain', 'project', 'role'] as const

function toRow({ name, password, domain, project, role }: DemoUser): readonly string[] {
  return [name, password ?? '(changed)', domain, project ?? '(all of the domain)', role]
}

/** How to try a demo: its users, and a command that lists servers. */
export function welcomeText(
  demo: Pick<Demo, 'servers' | 'users' | 'isLoading'>,
  authUrl: string | undefined,
  baseUrl: string,
): string {
  const rows = [columns, ...demo.users.map(toRow)]
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)))
  const table = rows.map((row) =>
    `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd(),
  )
  const [owner] = demo.users
  return [
    `The demo has ${demo.servers.toLocaleString('en-US')} servers${demo.isLoading ? ', still loading' : ''}. Try it as:`,
    '',
    ...table,
    '',
    ...(owner?.password === undefined || authUrl === undefined
      ? []
      : [`List servers as ${owner.name}:`, '', `  ${listLine(owner, authUrl, baseUrl)}`, '']),
    '',
  ].join('\n')
}

/** One line to copy: the inner command logs in and reads the token from the response header. */
function listLine({ name, password, domain }: DemoUser, authUrl: string, baseUrl: string): string {
  const user = { name, domain: { name: domain }, password }
  const login = { auth: { identity: { methods: ['password'], password: { user } } } }
  const token = `curl -si ${authUrl}/v3/auth/tokens -H 'Content-Type: application/json' -d '${quoted(JSON.stringify(login))}' | tr -d '\\r' | awk 'tolower($1) == "x-subject-token:" { print $2 }'`
  return `curl -s "${baseUrl}/servers?limit=5" -H "X-Auth-Token: $(${token})"`
}

/** Escapes a text for single quotes in a shell. */
const quoted = (text: string) => text.replaceAll("'", String.raw`'\''`)
